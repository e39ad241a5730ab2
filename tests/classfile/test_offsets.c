#include "classfile/offsets.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* 4 bytes before pc 0, 4 before pc 10; the instruction at 10 grows by 2, that at 20 shrinks by 3. */
static const struct cf_offset_point points[] = {{0, 4}, {20, 8}, {21, 10}, {41, 7}};

static struct cf_offsets map(void)
{
    return (struct cf_offsets){.points = points, .count = 4};
}

Test(offsets, instructions_are_behind_what_was_put_before_them)
{
    struct cf_offsets offsets = map();

    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 0), 4));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 9), 13));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 10), 18));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 11), 21));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 20), 30));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 21), 28));
}

Test(offsets, jumps_land_on_exit_probes_but_behind_the_entry_probe)
{
    struct cf_offsets offsets = map();

    cr_assert(eq(u32, cf_offsets_target(&offsets, 10), 14));
    cr_assert(eq(u32, cf_offsets_target(&offsets, 0), 4));
    cr_assert(eq(u32, cf_offsets_start(&offsets, 0), 0));
    cr_assert(eq(u32, cf_offsets_start(&offsets, 10), 14));
}

Test(offsets, any_order_of_questions_gives_the_same_answers)
{
    struct cf_offsets offsets = map();

    for (uint32_t i = 0; i < 5000; i++) {
        struct cf_offsets fresh = map();
        uint32_t pc = (i * 7919) % 40;
        cr_assert(eq(u32, cf_offsets_target(&offsets, pc), cf_offsets_target(&fresh, pc)));
        cr_assert(
            eq(u32, cf_offsets_instruction(&offsets, pc), cf_offsets_instruction(&fresh, pc)));
    }
}

Test(offsets, without_points_nothing_moves)
{
    struct cf_offsets offsets = {0};

    cr_assert(eq(u32, cf_offsets_target(&offsets, 0), 0));
    cr_assert(eq(u32, cf_offsets_instruction(&offsets, 65534), 65534));
}
