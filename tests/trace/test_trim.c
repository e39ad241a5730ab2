#include "trace/trace.h"

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
