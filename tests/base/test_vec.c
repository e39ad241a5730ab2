#include "base/vec.h"

#include "base/arena.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct row {
    uint32_t id;
    const char *name;
};

struct table {
    MB_VEC(struct row) rows;
    union mb_numbers numbers;
};

static int by_id(const void *a, const void *b)
{
    return (int)((const struct row *)a)->id - (int)((const struct row *)b)->id;
}

Test(vec, keeps_items_as_it_grows)
{
    struct table table = {0};

    cr_assert(zero(sz, MB_VEC_COUNT(&table.rows)));
    for (uint32_t i = 0; i < 1000; i++) {
        MB_VEC_PUSH(&table.rows, (struct row){.id = 999 - i, .name = "a"});
        MB_VEC_PUSH(&table.numbers, i);
    }
    cr_assert(eq(sz, MB_VEC_COUNT(&table.rows), 1000));
    cr_assert(eq(u32, table.numbers.items[999], 999));
    MB_VEC_SORT(&table.rows, by_id);
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert(eq(u32, table.rows.items[i].id, i));
    }
    MB_VEC_CUT(&table.rows, 10);
    cr_assert(eq(sz, MB_VEC_COUNT(&table.rows), 10));
    struct row *added = MB_VEC_ADD(&table.rows);
    cr_assert(added != NULL);
    added->id = 7;
    cr_assert(eq(u32, table.rows.items[10].id, 7));
    mb_buf_finish(&table.rows.buf);
    mb_buf_finish(&table.numbers.buf);
}

Test(vec, of_nothing_can_be_sorted_and_finished)
{
    struct table table = {0};

    MB_VEC_SORT(&table.rows, by_id);
    mb_buf_finish(&table.rows.buf);
    cr_assert(table.rows.items == NULL);
}

static int always(void)
{
    return 1;
}

Test(vec, without_memory_stays_as_it_was)
{
    union mb_numbers numbers = {0};

    MB_VEC_PUSH(&numbers, 5);
    mb_alloc_should_fail = always;
    const uint32_t *more = MB_VEC_EXTEND(&numbers, 100000);
    mb_alloc_should_fail = NULL;
    cr_assert(more == NULL);
    MB_VEC_PUSH(&numbers, 6);
    cr_assert(numbers.buf.failed);
    cr_assert(eq(sz, MB_VEC_COUNT(&numbers), 1));
    cr_assert(eq(u32, numbers.items[0], 5));
    mb_buf_finish(&numbers.buf);
}
