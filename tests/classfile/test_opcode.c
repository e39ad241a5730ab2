#include "classfile/opcode.h"

#include "base/check.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct size_case {
    const char *what;
    uint8_t code[24];
    uint32_t code_size;
    uint32_t pc;
    uint32_t size;
};

static const struct size_case size_cases[] = {
    {"one byte", {0x00}, 1, 0, 1},
    {"empty code", {0x00}, 0, 0, 0},
    {"behind the end", {0x00}, 1, 1, 0},
    {"far behind the end", {0x00}, 1, UINT32_MAX, 0},
    {"undefined opcode", {0xca}, 1, 0, 0},
    {"reserved opcode", {0xff, 0, 0}, 3, 0, 0},
    {"goto", {0xa7, 0, 3}, 3, 0, 3},
    {"goto cut off", {0xa7, 0}, 2, 0, 0},
    {"goto_w", {0xc8, 0, 0, 0, 5}, 5, 0, 5},
    {"invokeinterface", {0xb9, 0, 1, 1, 0}, 5, 0, 5},
    {"multianewarray", {0xc5, 0, 1, 2}, 4, 0, 4},
    {"wide iload", {0xc4, 0x15, 1, 0}, 4, 0, 4},
    {"wide ret", {0xc4, 0xa9, 1, 0}, 4, 0, 4},
    {"wide iinc", {0xc4, 0x84, 1, 0, 1, 0}, 6, 0, 6},
    {"wide iinc cut off", {0xc4, 0x84, 1, 0, 1}, 5, 0, 0},
    {"wide at the end", {0xc4}, 1, 0, 0},
    {"wide of wide", {0xc4, 0xc4, 0x15, 0, 0, 0}, 6, 0, 0},
    {"wide nop", {0xc4, 0x00, 0, 0}, 4, 0, 0},
    {"wide iload_0", {0xc4, 0x1a, 0, 0}, 4, 0, 0},
    {"tableswitch of one row, no padding needed behind 3 nops",
     {0, 0, 0, 0xaa, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 1},
     20,
     3,
     17},
    {"tableswitch without rows", {0xaa, 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0}, 16, 0, 16},
    {"tableswitch, high far below low",
     {0xaa, 0, 0, 0, 0, 0, 0, 1, 0x7f, 255, 255, 255, 0x80, 0, 0, 0},
     16,
     0,
     0},
    {"tableswitch, 2^32 rows",
     {0xaa, 0, 0, 0, 0, 0, 0, 1, 0x80, 0, 0, 0, 0x7f, 255, 255, 255},
     16,
     0,
     0},
    {"tableswitch, header cut off", {0xaa, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 15, 0, 0},
    {"lookupswitch without pairs", {0xab, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, 12, 0, 12},
    {"lookupswitch, padding cut off", {0xab, 0, 0}, 3, 0, 0},
    {"lookupswitch, one pair",
     {0xab, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 9},
     20,
     0,
     20},
    {"lookupswitch, pair cut off",
     {0xab, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0},
     19,
     0,
     0},
    {"lookupswitch, -1 pairs", {0xab, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255}, 12, 0, 0},
    {"lookupswitch, 2^31 - 1 pairs", {0xab, 0, 0, 0, 0, 0, 0, 1, 0x7f, 255, 255, 255}, 12, 0, 0},
};

EACH_ROW(opcode, has_size, size_cases);

ParameterizedTest(size_t *row, opcode, has_size)
{
    const struct size_case *c = &size_cases[*row];

    cr_expect(eq(u32, cf_insn_size(c->code, c->code_size, c->pc), c->size), "%s", c->what);
}

Test(opcode, table_is_complete_and_in_order)
{
    for (unsigned i = 0; i < 256; i++) {
        cr_expect(eq(int, cf_opcode((uint8_t)i)->name != NULL, i <= 0xc9), "%u", i);
        cr_expect(eq(int, cf_opcode((uint8_t)i)->role != CF_ROLE_UNDEFINED, i <= 0xc9), "%u", i);
    }
    cr_assert_str_eq(cf_opcode(0)->name, "NOP");
    cr_assert_str_eq(cf_opcode(100)->name, "ISUB");
    cr_assert_str_eq(cf_opcode(186)->name, "INVOKEDYNAMIC");
    cr_assert_str_eq(cf_opcode(201)->name, "JSR_W");
}

Test(opcode, branches_and_pool_indices_are_signed_and_unsigned)
{
    static const uint8_t code[] = {0xa7, 0xff, 0xfe, 0xc8, 0x80, 0, 0, 0,
                                   0x12, 0xff, 0xb9, 0xff, 0xfe, 1, 0};
    int64_t target = 0;

    cr_assert(cf_insn_branch(code, 0, &target));
    cr_assert(eq(i64, target, -2));
    cr_assert(cf_insn_branch(code, 3, &target));
    cr_assert(eq(i64, target, 3 - 2147483648LL));
    cr_assert(not(cf_insn_branch(code, 8, &target)));
    cr_assert(eq(u16, cf_insn_pool_index(code, 8), 255));
    cr_assert(eq(u16, cf_insn_pool_index(code, 10), 0xfffe));
    cr_assert(eq(u16, cf_insn_pool_index(code, 0), 0));
}

Test(opcode, switches_read_as_rows)
{
    /*                               pc 1  pad   default -1         low -2 */
    static const uint8_t table[] = {0, 0xaa, 0, 0, 255, 255, 255, 255, 255, 255, 255, 254,
                                    /* high -1     -2: +16           -1: +20 */
                                    255, 255, 255, 255, 0, 0, 0, 16, 0, 0, 0, 20};
    struct cf_switch rows = cf_switch_at(table, 1);

    cr_assert(eq(u32, rows.count, 2));
    cr_assert(eq(i64, cf_switch_target(&rows, 0), 17));
    cr_assert(eq(i64, cf_switch_target(&rows, 1), 21));
    cr_assert(eq(i64, cf_switch_target(&rows, 2), 0));

    static const uint8_t lookup[] = {0xab, 0, 0, 0, 0, 0, 0, 1,    0, 0,
                                     0,    1, 0, 0, 1, 0, 0, 0x10, 0, 0};
    rows = cf_switch_at(lookup, 0);
    cr_assert(eq(u32, rows.count, 1));
    cr_assert(eq(i64, cf_switch_target(&rows, 0), 0x100000));
    cr_assert(eq(i64, cf_switch_target(&rows, 1), 1));
}
