#include "recorder/plan.h"

#include "base/check.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct beat_options defaults(void)
{
    struct beat_options options;

    beat_options_init(&options);
    return options;
}

struct plan_case {
    const char *what;
    enum beat_threads threads;
    uint32_t main_words;
    uint32_t thread_words;
    uint32_t max_threads;
    uint64_t max_bytes;
    uint32_t planned_words;
    uint32_t planned_threads;
};

static const struct plan_case plan_cases[] = {
    {"all fits", BEAT_THREADS_ALL, 1000000, 65536, 63, 256u << 20, 1000000, 63},
    {"fewer rings", BEAT_THREADS_ALL, 1000000, 65536, 1000, 64u << 20, 1000000, 112},
    {"first rings that are longer", BEAT_THREADS_ALL, 1000000, 0, 63, 52u << 20, 1000000, 63},
    {"no room for longer ones", BEAT_THREADS_ALL, 1000000, 0, 63, 40u << 20, 1000000, 63},
    {"no ring beside the main one", BEAT_THREADS_ALL, 1000000, 65536, 63, 8u << 20, 1000000, 0},
    {"a shorter main ring too", BEAT_THREADS_ALL, 1000000, 65536, 63, 4u << 20, 520192, 0},
    {"a shorter main ring", BEAT_THREADS_MAIN, 1000000, 65536, 63, 4u << 20, 520192, 63},
    {"far too little", BEAT_THREADS_MAIN, 1000000, 65536, 63, 0, 1024, 63},
    {"far too much", BEAT_THREADS_MAIN, UINT32_MAX, 65536, 63, 256u << 20, 33550336, 63},
    {"a tiny ring", BEAT_THREADS_MAIN, 1, 65536, 63, 256u << 20, 1024, 63},
};

EACH_ROW(plan, stays_within_max_bytes, plan_cases);

ParameterizedTest(size_t *row, plan, stays_within_max_bytes)
{
    const struct plan_case *c = &plan_cases[*row];
    struct beat_options options = defaults();

    options.threads = c->threads;
    options.main_words = c->main_words;
    options.thread_words = c->thread_words;
    options.max_threads = c->max_threads;
    options.max_bytes = c->max_bytes;
    uint64_t size = beat_plan_fit(&options);
    cr_assert(eq(u32, options.main_words, c->planned_words), "%s", c->what);
    cr_assert(eq(u32, options.max_threads, c->planned_threads), "%s", c->what);
    if (c->max_bytes > (1u << 20)) {
        cr_assert(le(u64, size, c->max_bytes), "%s", c->what);
    }
}

Test(plan, lanes_are_the_first_to_go_where_max_bytes_is_short)
{
    struct beat_options options = defaults();

    options.threads = BEAT_THREADS_ALL;
    options.max_virtual = 16384;
    options.max_bytes = UINT64_C(64) << 20;
    uint64_t size = beat_plan_fit(&options);
    cr_assert(le(u64, size, options.max_bytes));
    cr_assert(eq(u32, options.max_threads, 63));
    cr_assert(gt(u32, options.max_virtual, 0));
    options.max_virtual = 16384;
    options.max_bytes = UINT64_C(256) << 20;
    (void)beat_plan_fit(&options);
    cr_assert(eq(u32, options.max_virtual, 16384));
}
