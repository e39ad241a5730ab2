#include "trace/trace.h"

#include "abi/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* 32 items of 3 ms but for the first, and one of 4: the first round stops at 30. */
Test(trim, a_round_stops_in_the_middle)
{
    struct trace_item items[32];
    struct trace_item kept[TRACE_TRIMMED_MAX];

    for (uint32_t i = 0; i < 32; i++) {
        items[i] = (struct trace_item){.id = i, .duration = 3000000, .count = 1};
    }
    items[31].duration = 5000000;
    cr_assert(eq(sz, trace_trim(items, 32, 1e6, kept), 30));
    cr_assert(eq(u32, kept[28].id, 28));
    cr_assert(eq(u32, kept[29].id, 31));
}

Test(trim, after_all_rounds_the_first_stay)
{
    struct trace_item items[100];
    struct trace_item kept[TRACE_TRIMMED_MAX];

    for (uint32_t i = 0; i < 100; i++) {
        items[i] = (struct trace_item){.id = i, .duration = 300 + i, .count = 1};
    }
    cr_assert(eq(sz, trace_trim(items, 100, 1, kept), 30));
    cr_assert(eq(u32, kept[29].id, 29));
}

Test(trim, short_lists_stay_whole)
{
    struct trace_item items[TRACE_TRIMMED_MAX] = {{.id = 1}};
    struct trace_item kept[TRACE_TRIMMED_MAX];

    cr_assert(eq(sz, trace_trim(items, 30, 1, kept), 30));
    cr_assert(eq(sz, trace_trim(items, 0, 1, kept), 0));
}

Test(key, is_the_deepest_that_lasts_long_enough)
{
    const struct trace_item items[] = {{.id = ABI_MESSAGE_ID, .duration = 1003},
                                       {.id = 1, .depth = 1, .duration = 300},
                                       {.id = 2, .depth = 2, .duration = 299},
                                       {.id = 3, .depth = 1, .duration = 300}};

    cr_assert(eq(u32, trace_key(items, 4, trace_cost(items, 4), false), 1));
    cr_assert(eq(u32, trace_key(items, 1, 1003, false), ABI_MESSAGE_ID));
    cr_assert(eq(u32, trace_key(items, 4, 1010, false), ABI_MESSAGE_ID));
    cr_assert(eq(u32, trace_key(items, 0, 0, false), TRACE_NO_KEY));
}

Test(key, does_not_wrap)
{
    const struct trace_item items[] = {{.id = 1, .depth = 1 << 30, .duration = INT64_MAX / 2},
                                       {.id = 2, .depth = 1, .duration = INT64_MAX / 2}};

    cr_assert(eq(u32, trace_key(items, 2, INT64_MAX, false), 1));
}
