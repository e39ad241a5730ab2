#include "answer/waits.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define LOCK MB_TEXT_ROW("java/lang/Object")

static const struct answer_block rows[] = {
    {.thread = MB_TEXT_ROW("pool-1"),
     .lock = LOCK,
     .thread_index = 1,
     .start_ns = 10,
     .duration_ns = 90},
    {.thread = MB_TEXT_ROW("pool-2"),
     .lock = LOCK,
     .method = 7,
     .thread_index = 2,
     .owner = MB_TEXT_ROW("pool-1"),
     .owner_index = 2,
     .owner_method = 8,
     .start_ns = 20,
     .asked_ns = 40,
     .duration_ns = 50},
    {.thread = MB_TEXT_ROW("pool-3"),
     .lock = LOCK,
     .method = 7,
     .thread_index = 3,
     .owner = MB_TEXT_ROW("pool-2"),
     .owner_index = 3,
     .owner_method = 9,
     .start_ns = 30,
     .asked_ns = 80,
     .duration_ns = 60},
    {.thread = MB_TEXT_ROW("pool-3"),
     .lock = MB_TEXT_ROW("a/B.class"),
     .method = 7,
     .duration_ns = 5},
};

static const struct answer_blocks blocks = {rows, MB_COUNT(rows)};

/* Whoever has it, and where that is known. */
Test(waits, a_lock_has_one_row)
{
    union answer_waits waits = {0};

    answer_waits_collect(&waits, &blocks);
    cr_assert(eq(sz, MB_VEC_COUNT(&waits), 2));
    const struct answer_wait *row = waits.items;
    cr_expect(eq(u64, row->count, 3));
    cr_expect(eq(i64, row->sum_ns, 200));
    cr_expect(eq(i64, row->longest_ns, 90));
    cr_expect(eq(u32, row->first->method, 7), "the first whose place is known");
    cr_expect(eq(u32, row->longest->owner_method, 9), "the longest whose owner is known");
    mb_buf_finish(&waits.buf);
}

/* It counts when the owner was asked for. */
Test(waits, an_owner_that_waited_before_does_not_wait)
{
    cr_expect(eq(ptr, (void *)(uintptr_t)answer_wait_of_owner(&blocks, &rows[2]), NULL));
    cr_expect(eq(ptr, (void *)(uintptr_t)answer_wait_of_owner(&blocks, &rows[1]),
                 (void *)(uintptr_t)&rows[0]),
              "it waits then");
}
