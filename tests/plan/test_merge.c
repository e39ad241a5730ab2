#include "inputs.h"
#include "instrument/plan/merge.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct input_class some[] = {
    {"x", "b/B"}, {"x", "module-info"}, {"y", "b/B go"}, {"y", "a/A"}, {"z", "b/B"}};

Test(merge, each_name_comes_once_from_the_first_input)
{
    struct inputs inputs = {0};
    struct mb_intern *names = mb_intern_create();
    struct plan_warnings warnings;
    struct mb_arena arena = {0};
    struct plan_member *members;
    size_t count;

    inputs_open(&inputs, some, MB_COUNT(some), 1);
    plan_warnings_init(&warnings);
    struct plan_source *sources = inputs.sources.items;
    sources[1].classes[1].content_hash = 1; /* another b/B, as pass 1 would find */
    struct plan_merge_request request = {&inputs.sources, names, false, &warnings, &arena};
    cr_assert(eq(int, plan_merge(&request, &members, &count, NULL), MB_OK));
    cr_assert(eq(sz, count, 2));
    cr_assert(mb_text_is(members[0].name, "a/A.class"));
    cr_assert(mb_text_is(members[1].name, "b/B.class"));
    cr_assert(eq(u32, members[1].source, 0));
    cr_assert(sources[0].classes[1].is_dropped); /* module-info */
    cr_assert(sources[1].classes[1].is_dropped);
    cr_assert(sources[2].classes[0].is_dropped);
    cr_assert(eq(sz, warnings.count, 1)); /* the other two are the same */
    plan_warnings_finish(&warnings);
    mb_arena_finish(&arena);
    inputs_close(&inputs);
    mb_intern_destroy(names);
}
