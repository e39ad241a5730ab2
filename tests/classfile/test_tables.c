#include "classfile/tables.h"

#include "moved.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(tables, lines_start_with_the_probe)
{
    static const uint8_t in[] = {0, 3, 0, 0, 0, 7, 0, 10, 0, 8, 0, 11, 0, 9};
    static const uint8_t expected[] = {0, 3, 0, 0, 0, 7, 0, 14, 0, 8, 0, 19, 0, 9};
    struct mb_buf out = {0};

    cr_assert(eq(int, relocate(cf_lines_relocate, in, sizeof(in), &out), MB_OK));
    cr_assert_arr_eq(out.bytes, expected, sizeof(expected));
    cr_assert(eq(int, relocate(cf_lines_relocate, in, sizeof(in) - 1, &out), MB_BAD_CLASS));
    cr_assert(eq(int, relocate(cf_lines_relocate, in, 1, &out), MB_BAD_CLASS));
    mb_buf_finish(&out);
}

Test(tables, variables_grow_with_their_code)
{
    /* this over [0, 20), a variable over [10, 11) */
    static const uint8_t in[] = {0, 2, 0,  0, 0, 20, 0, 1, 0, 2, 0,
                                 0, 0, 10, 0, 1, 0,  3, 0, 4, 0, 1};
    static const uint8_t expected[] = {0, 2, 0,  0, 0, 28, 0, 1, 0, 2, 0,
                                       0, 0, 14, 0, 5, 0,  3, 0, 4, 0, 1};
    struct mb_buf out = {0};

    cr_assert(eq(int, relocate(cf_variables_relocate, in, sizeof(in), &out), MB_OK));
    cr_assert_arr_eq(out.bytes, expected, sizeof(expected));
    mb_buf_finish(&out);
}

Test(tables, character_ranges_end_with_their_last_byte)
{
    static const uint8_t in[] = {0, 1, 0, 10, 0, 12, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1};
    static const uint8_t expected[] = {0, 1, 0, 14, 0, 20, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1};
    struct mb_buf out = {0};

    cr_assert(eq(int, relocate(cf_character_ranges_relocate, in, sizeof(in), &out), MB_OK));
    cr_assert_arr_eq(out.bytes, expected, sizeof(expected));
    mb_buf_finish(&out);
}
