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

/* Rows as "depth id count duration longest", of turns of a loop: 1 (2 (3) 4), 1 (2 (5)), 6, 1. */
Test(trim, turns_of_a_loop_become_one)
{
    static const struct trace_item items[] = {
        {.id = 1, .depth = 0, .count = 1, .duration = 50, .longest = 50},
        {.id = 2, .depth = 1, .count = 2, .duration = 40, .longest = 30},
        {.id = 3, .depth = 2, .count = 1, .duration = 9, .longest = 9},
        {.id = 4, .depth = 1, .count = 1, .duration = 5, .longest = 5},
        {.id = 1, .depth = 0, .count = 1, .duration = 70, .longest = 70, .is_open = 1},
        {.id = 2, .depth = 1, .count = 1, .duration = 60, .longest = 60},
        {.id = 5, .depth = 2, .count = 1, .duration = 7, .longest = 7},
        {.id = 6, .depth = 0, .count = 1, .duration = 1, .longest = 1},
        {.id = 1, .depth = 0, .count = 1, .duration = 2, .longest = 2},
    };
    static const struct trace_item expected[] = {
        {.id = 1, .depth = 0, .count = 3, .duration = 122, .longest = 70, .is_open = 1},
        {.id = 2, .depth = 1, .count = 3, .duration = 100, .longest = 60},
        {.id = 3, .depth = 2, .count = 1, .duration = 9, .longest = 9},
        {.id = 5, .depth = 2, .count = 1, .duration = 7, .longest = 7},
        {.id = 4, .depth = 1, .count = 1, .duration = 5, .longest = 5},
        {.id = 6, .depth = 0, .count = 1, .duration = 1, .longest = 1},
    };
    struct trace_item kept[TRACE_TRIMMED_MAX];

    cr_assert(eq(sz, trace_fold(items, 9, kept), 6));
    for (size_t i = 0; i < 6; i++) {
        cr_expect(eq(u32, kept[i].id, expected[i].id), "%zu", i);
        cr_expect(eq(int, kept[i].depth, expected[i].depth), "%zu", i);
        cr_expect(eq(u32, kept[i].count, expected[i].count), "%zu", i);
        cr_expect(eq(i64, kept[i].duration, expected[i].duration), "%zu", i);
        cr_expect(eq(i64, kept[i].longest, expected[i].longest), "%zu", i);
        cr_expect(eq(int, kept[i].is_open, expected[i].is_open), "%zu", i);
    }
}
