#include "inputs.h"
#include "instrument/plan/output_paths.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

static const struct input_class some[] = {{"x/app", "a/A"}, {"y/app", "b/B"}, {"z", "c/C"}};

Test(output_paths, equal_names_get_a_number)
{
    struct inputs inputs = {0};
    struct mb_arena arena = {0};
    const char **paths;

    inputs_open(&inputs, some, MB_COUNT(some), 1);
    cr_assert(eq(int, plan_name_outputs(&inputs.sources, "out", &arena, &paths, NULL), MB_OK));
    cr_assert_str_eq(paths[0], "out/app");
    cr_assert_str_eq(paths[1], "out/app-2");
    cr_assert_str_eq(paths[2], "out/z");
    cr_assert(not(inputs.sources.items[0].is_renamed));
    cr_assert(inputs.sources.items[1].is_renamed);
    mb_arena_finish(&arena);
    inputs_close(&inputs);
}

static const struct {
    const char *suffix; /* behind the root */
    bool is_good;
} places[] = {
    {"", true}, /* above the inputs, and no output of ours removes it */
    {"/z", false}, {"/z/c", false}, {"/./z//c/x", false}, {"/zz", true}, {"/w/../zz", true},
};

Test(output_paths, none_is_an_input_or_inside_one)
{
    struct inputs inputs = {0};

    inputs_open(&inputs, some, MB_COUNT(some), 1);
    for (size_t i = 1; i < MB_COUNT(places); i++) {
        char path[128];
        const char *list[] = {path, NULL};
        (void)snprintf(path, sizeof(path), "%s%s", inputs.root, places[i].suffix);
        enum mb_status status = plan_check_outputs(&inputs.sources, list, 2, NULL);
        cr_expect(eq(int, status, places[i].is_good ? MB_OK : MB_BAD_USAGE), "%s",
                  places[i].suffix);
    }
    const char *same[] = {"/tmp/same/x", "/tmp//same/./x"};
    cr_assert(eq(int, plan_check_outputs(&inputs.sources, same, 2, NULL), MB_BAD_USAGE));
    inputs_close(&inputs);
}
