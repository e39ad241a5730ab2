#include "classfile/cursor.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const uint8_t bytes[] = {0x01, 0x02, 0x83, 0x04, 0x05};

static const struct read_case {
    const char *what;
    size_t size;
    uint32_t value;
    bool overrun;
} u4_cases[] = {
    {"all four bytes", 5, 0x01028304, false},
    {"just enough", 4, 0x01028304, false},
    {"one short", 3, 0, true},
    {"nothing there", 0, 0, true},
};

EACH_ROW(cursor, reads_u4, u4_cases);

ParameterizedTest(size_t *row, cursor, reads_u4)
{
    const struct read_case *c = &u4_cases[*row];
    struct cf_cursor in = cf_cursor_over(bytes, c->size);

    cr_expect(eq(u32, cf_read_u4(&in), c->value), "%s", c->what);
    cr_expect(eq(int, in.overrun, c->overrun), "%s", c->what);
}

Test(cursor, overrun_sticks_and_reads_give_zero)
{
    struct cf_cursor in = cf_cursor_over(bytes, 3);

    cr_assert(eq(u16, cf_read_u2(&in), 0x0102));
    cr_assert(eq(u16, cf_read_u2(&in), 0));
    cr_assert(eq(u8, cf_read_u1(&in), 0));
    cr_assert(in.overrun);
    cr_assert(not(cf_cursor_done(&in)));
    cr_assert(cf_read_bytes(&in, 1) == NULL);
}

Test(cursor, slice_cannot_see_past_its_end)
{
    struct cf_cursor in = cf_cursor_over(bytes, sizeof(bytes));

    (void)cf_read_u1(&in);
    struct cf_cursor slice = cf_read_slice(&in, 2);
    cr_assert(eq(sz, cf_cursor_offset(&slice), 1));
    cr_assert(eq(u16, cf_read_u2(&slice), 0x0283));
    cr_assert(cf_cursor_done(&slice));
    cr_assert(eq(u8, cf_read_u1(&slice), 0));
    cr_assert(slice.overrun);
    cr_assert(not(in.overrun));
    cr_assert(eq(u8, cf_read_u1(&in), 4));
}

Test(cursor, a_slice_that_is_too_long_overruns_both)
{
    struct cf_cursor in = cf_cursor_over(bytes, sizeof(bytes));
    struct cf_cursor slice = cf_read_slice(&in, 6);

    cr_assert(in.overrun);
    cr_assert(slice.overrun);
    cr_assert(eq(sz, cf_cursor_left(&slice), 0));
}
