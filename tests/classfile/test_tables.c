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

/* ---- Offsets ---- */

/* 4 bytes before pc 0, 4 before pc 10; the instruction at 10 grows by 2, that at 20 shrinks by
 * 3. */
static const struct cf_offset_point few_points[] = {{0, 4}, {20, 8}, {21, 10}, {41, 7}};

enum { SMALL_SIZE = 22 };

static uint16_t few_shifts[2 * SMALL_SIZE + CF_SHIFTS_SPARE];

static struct cf_offsets few_map(void)
{
    struct cf_offsets offsets;

    cf_offsets_fill(&offsets, few_points, 4, SMALL_SIZE, few_shifts);
    return offsets;
}

Test(offsets, instructions_are_behind_what_was_put_before_them)
{
    struct cf_offsets offsets = few_map();

    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 0), 4));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 9), 13));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 10), 18));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 11), 21));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 20), 30));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 21), 28));
}

Test(offsets, jumps_land_on_exit_probes_but_behind_the_entry_probe)
{
    struct cf_offsets offsets = few_map();

    cr_assert(eq(u32, cf_offsets_target(&offsets, 10), 14));
    cr_assert(eq(u32, cf_offsets_target(&offsets, 0), 4));
    cr_assert(eq(u32, cf_offsets_start(&offsets, 0), 0));
    cr_assert(eq(u32, cf_offsets_start(&offsets, 10), 14));
}

Test(offsets, what_lies_behind_the_code_moves_with_its_end)
{
    struct cf_offsets offsets = few_map();

    cr_assert(eq(u32, cf_offsets_start(&offsets, SMALL_SIZE), SMALL_SIZE + 7));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 65535), 65542));
}

/* The shift of a key, asked of each point. */
static uint32_t slow_shift(const struct cf_offset_point *list, size_t count, uint32_t key)
{
    uint32_t shift = 0;

    for (size_t i = 0; i < count && list[i].key < key; i++) {
        shift = list[i].shift;
    }
    return shift;
}

Test(offsets, no_run_spoils_another)
{
    enum { SIZE = 200 };
    static uint16_t scratch[2 * SIZE + CF_SHIFTS_SPARE];

    for (uint32_t gap = 1; gap < 70; gap++) {
        struct cf_offset_point list[2 * SIZE];
        size_t count = 0;
        for (uint32_t key = gap % 3; key < 2 * SIZE; key += 1 + key * gap % 70) {
            list[count] = (struct cf_offset_point){key, (uint32_t)(11 * count + 5)};
            count++;
        }
        struct cf_offsets offsets;
        cf_offsets_fill(&offsets, list, count, SIZE, scratch);
        for (uint32_t pc = 0; pc < SIZE + 3; pc++) {
            cr_assert(
                eq(u32, cf_offsets_start(&offsets, pc), pc + slow_shift(list, count, 2 * pc)));
            cr_assert(eq(u32, cf_offsets_instruction(&offsets, pc),
                         pc + slow_shift(list, count, 2 * pc + 1)));
        }
    }
}

Test(offsets, without_points_nothing_moves)
{
    struct cf_offsets offsets = {0};

    cr_assert(eq(u32, cf_offsets_target(&offsets, 0), 0));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 65534), 65534));
}
