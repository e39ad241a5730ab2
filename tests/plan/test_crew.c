#include "instrument/plan/crew.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void remember(void *context, uint64_t done, uint64_t total)
{
    uint64_t *told = context;

    told[0] = done;
    told[1] = total;
}

Test(crew, gives_each_worker_its_own_scratch)
{
    struct plan_crew crew = {.compression = AR_COMPRESSION_FAST};
    struct plan_scratch *first;
    struct plan_scratch *second;
    struct plan_scratch *again;

    cr_assert(eq(int, plan_crew_init(&crew, 2, NULL), MB_OK));
    cr_assert(eq(int, plan_crew_scratch(&crew, 0, &first, NULL), MB_OK));
    cr_assert(eq(int, plan_crew_scratch(&crew, 1, &second, NULL), MB_OK));
    cr_assert(eq(int, plan_crew_scratch(&crew, 0, &again, NULL), MB_OK));
    cr_assert(first != second && first->codec != second->codec);
    cr_assert(eq(ptr, first, again));
    plan_crew_finish(&crew);
    plan_crew_finish(&crew);
}

Test(crew, tells_progress_on_the_callers_thread_only)
{
    uint64_t told[2] = {0, 0};
    struct plan_crew crew = {.progress = remember, .context = told};

    plan_crew_report(&crew, 1, 5, 10);
    cr_assert(eq(u64, told[1], 0));
    plan_crew_report(&crew, 0, 5, 10);
    cr_assert(eq(u64, told[0], 5));
    cr_assert(eq(u64, told[1], 10));
}
