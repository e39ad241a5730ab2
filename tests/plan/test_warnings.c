#include "instrument/plan/warnings.h"

#include "base/workers.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

static void add(struct plan_warnings *warnings, uint64_t place, const char *reason)
{
    struct mb_error warning;

    (void)mb_fail(&warning, MB_BAD_CLASS, 3, "%s", reason);
    cr_assert(eq(int, plan_warnings_add(warnings, place, &warning, NULL), MB_OK));
}

Test(warnings, follow_the_inputs_whatever_came_first)
{
    static const char *const sorted[] = {"of the run", "a", "b", "of entry 2", "of input 1"};
    struct plan_warnings warnings;

    plan_warnings_init(&warnings);
    add(&warnings, plan_place(1, 0), "of input 1");
    add(&warnings, plan_place(0, 2), "of entry 2");
    add(&warnings, plan_place(0, 1), "b");
    add(&warnings, 0, "of the run");
    add(&warnings, plan_place(0, 1), "a");
    plan_warnings_sort(&warnings);
    cr_assert(eq(sz, warnings.count, MB_COUNT(sorted)));
    for (size_t i = 0; i < warnings.count; i++) {
        cr_assert_str_eq(warnings.items[i].error.reason, sorted[i]);
    }
    plan_warnings_finish(&warnings);
}

static enum mb_status add_some(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct mb_error warning = {.status = MB_BAD_CLASS};

    (void)worker;
    return plan_warnings_add(context, task, &warning, err);
}

Test(warnings, come_from_all_threads)
{
    struct mb_workers *workers = mb_workers_create(4);
    struct plan_warnings warnings;

    plan_warnings_init(&warnings);
    cr_assert(eq(int, mb_workers_run(workers, 1000, add_some, &warnings, NULL), MB_OK));
    plan_warnings_sort(&warnings);
    cr_assert(eq(sz, warnings.count, 1000));
    for (size_t i = 0; i < warnings.count; i++) {
        cr_assert(eq(u64, warnings.items[i].place, i));
    }
    plan_warnings_finish(&warnings);
    mb_workers_destroy(workers);
}
