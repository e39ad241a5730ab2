/* What is kept of a stack, and its key: other answers are upstream's (golden/run_vectors.c). */

#include "trace/trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

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

/* ---- The key ---- */

Test(key, does_not_wrap)
{
    const struct trace_item items[] = {{.id = 1, .depth = 1 << 30, .duration = INT64_MAX / 2},
                                       {.id = 2, .depth = 1, .duration = INT64_MAX / 2}};

    cr_assert(eq(u32, trace_key(items, 2, INT64_MAX), 1));
}
