#include "classfile/opcode.h"

#include <assert.h>

const struct cf_opcode_info cf_opcode_infos[256] = {
#define CF_OP(code, name, operands, role) [code] = {#name, CF_OPERANDS_##operands, CF_ROLE_##role},
#include "classfile/opcode.def"
#undef CF_OP
};

enum {
    SIZE_UNDEFINED = 0,
    SIZE_NONE = 1,
    SIZE_LOCAL_0 = 1,
    SIZE_LOCAL_1 = 1,
    SIZE_LOCAL_2 = 1,
    SIZE_LOCAL_3 = 1,
    SIZE_LOCAL = 2,
    SIZE_BYTE = 2,
    SIZE_SHORT = 3,
    SIZE_POOL1 = 2,
    SIZE_POOL2 = 3,
    SIZE_IINC = 3,
    SIZE_BRANCH2 = 3,
    SIZE_BRANCH4 = 5,
    SIZE_TABLESWITCH = 0,
    SIZE_LOOKUPSWITCH = 0,
    SIZE_INVOKEINTERFACE = 5,
    SIZE_INVOKEDYNAMIC = 5,
    SIZE_NEWARRAY = 2,
    SIZE_MULTIANEWARRAY = 4,
    SIZE_WIDE = 0,
};

const uint8_t cf_insn_sizes[256] = {
#define CF_OP(code, name, operands, role) [code] = SIZE_##operands,
#include "classfile/opcode.def"
#undef CF_OP
};

#define IS_PLAIN(role)                                                                  \
    ((role) != CF_ROLE_JUMP && (role) != CF_ROLE_GOTO && (role) != CF_ROLE_JSR &&       \
     (role) != CF_ROLE_SWITCH && (role) != CF_ROLE_RETURN && (role) != CF_ROLE_THROW && \
     (role) != CF_ROLE_MONITOR)

const uint8_t cf_plain_sizes[256] = {
#define CF_OP(code, name, operands, role) [code] = IS_PLAIN(CF_ROLE_##role) ? SIZE_##operands : 0,
#include "classfile/opcode.def"
#undef CF_OP
};

/* Padding puts the default distance at a multiple of 4 from the start of the code. */
static uint32_t switch_base(uint32_t pc)
{
    return (pc | 3) + 1;
}

static uint32_t wide_size(const uint8_t *code, uint32_t left)
{
    uint8_t operands = left >= 2 ? cf_opcode_infos[code[1]].operands : CF_OPERANDS_UNDEFINED;
    uint32_t size = operands == CF_OPERANDS_LOCAL ? 4 : operands == CF_OPERANDS_IINC ? 6 : 0;

    return size <= left ? size : 0;
}

static uint32_t switch_size(const uint8_t *code, uint32_t code_size, uint32_t pc)
{
    bool is_table = code[pc] == CF_OP_TABLESWITCH;
    uint32_t base = switch_base(pc);
    uint32_t header = is_table ? 12 : 8;

    if (base > code_size || header > code_size - base) {
        return 0;
    }
    int64_t first = (int32_t)mb_get_u4(code + base + 4); /* low, or the number of pairs */
    int64_t count = is_table ? (int32_t)mb_get_u4(code + base + 8) - first + 1 : first;
    uint32_t row_size = is_table ? 4 : 8;
    if (count < 0 || count > (code_size - base - header) / row_size) {
        return 0;
    }
    return base + header + (uint32_t)count * row_size - pc;
}

uint32_t cf_insn_size_variable(const uint8_t *code, uint32_t code_size, uint32_t pc)
{
    switch (cf_opcode(code[pc])->operands) {
    case CF_OPERANDS_WIDE:
        return wide_size(code + pc, code_size - pc);
    case CF_OPERANDS_TABLESWITCH:
    case CF_OPERANDS_LOOKUPSWITCH:
        return switch_size(code, code_size, pc);
    default:
        return 0;
    }
}

uint16_t cf_insn_pool_index(const uint8_t *code, uint32_t pc)
{
    switch (cf_opcode(code[pc])->operands) {
    case CF_OPERANDS_POOL1:
        return code[pc + 1];
    case CF_OPERANDS_POOL2:
    case CF_OPERANDS_INVOKEINTERFACE:
    case CF_OPERANDS_INVOKEDYNAMIC:
    case CF_OPERANDS_MULTIANEWARRAY:
        return mb_get_u2(code + pc + 1);
    default:
        return 0;
    }
}

struct cf_switch cf_switch_at(const uint8_t *code, uint32_t pc)
{
    assert(cf_opcode(code[pc])->role == CF_ROLE_SWITCH);
    const uint8_t *base = code + switch_base(pc);
    int32_t first = (int32_t)mb_get_u4(base + 4);

    if (code[pc] == CF_OP_LOOKUPSWITCH) {
        return (struct cf_switch){
            .base = base, .rows = base + 8, .count = (uint32_t)first, .row_size = 8, .pc = pc};
    }
    int64_t count = (int64_t)(int32_t)mb_get_u4(base + 8) - first + 1;
    return (struct cf_switch){
        .base = base, .rows = base + 12, .count = (uint32_t)count, .row_size = 4, .pc = pc};
}

int64_t cf_switch_target(const struct cf_switch *table, uint32_t row)
{
    assert(row <= table->count);
    const uint8_t *distance =
        row < table->count ? table->rows + (size_t)(row + 1) * table->row_size - 4 : table->base;

    return (int64_t)table->pc + (int32_t)mb_get_u4(distance);
}
