#include "inputs.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

static const struct input_class some[] = {{"x", "b/B"}, {"x", "a/A"}, {"y", "c/C"}};

Test(source, opens_inputs_in_their_order_and_lists_their_classes)
{
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        struct inputs inputs = {0};
        inputs_open(&inputs, some, MB_COUNT(some), jobs);
        const struct plan_source *x = &inputs.sources.items[0];
        cr_assert(eq(u32, inputs.sources.count, 2));
        cr_assert(eq(u32, x->class_count, 2));
        cr_assert(eq(u32, x->outer, PLAN_NO_SOURCE));
        cr_assert(mb_text_is(ar_input_entry(x->archive, x->classes[0].entry)->name, "a/A.class"));
        cr_assert(eq(u32, inputs.sources.items[1].classes[0].source, 1));
        cr_assert(eq(int, plan_sources_check_unchanged(&inputs.sources, NULL), MB_OK));
        inputs_close(&inputs);
    }
}

Test(source, names_the_input_that_cannot_be_opened)
{
    struct mb_workers *workers = mb_workers_create(2);
    static const char *const paths[] = {"/", "/tmp/methodbeat/is/not/there"};
    struct plan_sources sources = {0};
    struct mb_error err;

    cr_assert(eq(int, plan_sources_open(&sources, paths + 1, 1, workers, &err), MB_IO));
    cr_assert_str_eq(err.input, paths[1]);
    plan_sources_finish(&sources);
    mb_workers_destroy(workers);
}
