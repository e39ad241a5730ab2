/* The instruction set (JVMS §6.5) as a table: sizes, operands and roles. */

#ifndef CLASSFILE_OPCODE_H
#define CLASSFILE_OPCODE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cf_opcode {
#define CF_OP(code, name, operands, role) CF_OP_##name = (code),
#include "classfile/opcode.def"
#undef CF_OP
};

/* The operands that follow the opcode. */
enum cf_operands {
    CF_OPERANDS_UNDEFINED, /* no such opcode */
    CF_OPERANDS_NONE,
    CF_OPERANDS_LOCAL_0, /* no operands; means local 0 */
    CF_OPERANDS_LOCAL_1,
    CF_OPERANDS_LOCAL_2,
    CF_OPERANDS_LOCAL_3,
    CF_OPERANDS_LOCAL,           /* u1 local; u2 after wide */
    CF_OPERANDS_BYTE,            /* s1 value */
    CF_OPERANDS_SHORT,           /* s2 value */
    CF_OPERANDS_POOL1,           /* u1 pool index */
    CF_OPERANDS_POOL2,           /* u2 pool index */
    CF_OPERANDS_IINC,            /* u1 local, s1 value; u2, s2 after wide */
    CF_OPERANDS_BRANCH2,         /* s2 distance from the opcode */
    CF_OPERANDS_BRANCH4,         /* s4 distance from the opcode */
    CF_OPERANDS_TABLESWITCH,     /* padding, s4 default, low, high, distances */
    CF_OPERANDS_LOOKUPSWITCH,    /* padding, s4 default, count, pairs of key and distance */
    CF_OPERANDS_INVOKEINTERFACE, /* u2 pool index, u1 argument slots, 0 */
    CF_OPERANDS_INVOKEDYNAMIC,   /* u2 pool index, 0, 0 */
    CF_OPERANDS_NEWARRAY,        /* u1 element type */
    CF_OPERANDS_MULTIANEWARRAY,  /* u2 pool index, u1 dimensions */
    CF_OPERANDS_WIDE,            /* an opcode and its wide operands */
};

/* The role of an instruction. */
enum cf_role {
    CF_ROLE_UNDEFINED,
    CF_ROLE_NOP,
    CF_ROLE_CONST,
    CF_ROLE_LOAD,
    CF_ROLE_STORE,
    CF_ROLE_ARRAY_LOAD,
    CF_ROLE_ARRAY_STORE,
    CF_ROLE_STACK, /* pop, dup, swap */
    CF_ROLE_MATH,
    CF_ROLE_INCREMENT,
    CF_ROLE_CONVERT,
    CF_ROLE_COMPARE,
    CF_ROLE_JUMP, /* conditional */
    CF_ROLE_GOTO,
    CF_ROLE_JSR,
    CF_ROLE_RET,
    CF_ROLE_SWITCH,
    CF_ROLE_RETURN,
    CF_ROLE_FIELD_READ,
    CF_ROLE_FIELD_WRITE,
    CF_ROLE_INVOKE,
    CF_ROLE_NEW,
    CF_ROLE_ARRAY_NEW,
    CF_ROLE_ARRAY_LENGTH,
    CF_ROLE_THROW,
    CF_ROLE_CAST,
    CF_ROLE_INSTANCEOF,
    CF_ROLE_MONITOR,
    CF_ROLE_WIDE, /* prefix: see cf_insn_opcode */
};

struct cf_opcode_info {
    const char *name; /* capitals; NULL: no such opcode */
    uint8_t operands; /* enum cf_operands */
    uint8_t role;     /* enum cf_role */
};

extern const struct cf_opcode_info cf_opcode_infos[256];

/* Size of the instruction, 0 where it depends on the operands or no such opcode exists. */
extern const uint8_t cf_insn_sizes[256];

/* The same, but 0 also for opcodes at which a walk stops: jumps, switches, returns, throws and
 * monitors. */
extern const uint8_t cf_plain_sizes[256];

/* Never NULL. */
static inline const struct cf_opcode_info *cf_opcode(uint8_t opcode)
{
    return &cf_opcode_infos[opcode];
}

/* The general case of cf_insn_size, for opcodes that cf_insn_sizes does not cover. */
uint32_t cf_insn_size_variable(const uint8_t *code, uint32_t code_size, uint32_t pc);

/* Bytes from this opcode to the next: 1 or more, and within the code. 0 if the instruction at pc is
 * undefined or truncated, or pc is outside the code. */
static inline uint32_t cf_insn_size(const uint8_t *code, uint32_t code_size, uint32_t pc)
{
    if (MB_UNLIKELY(pc >= code_size)) {
        return 0;
    }
    uint32_t size = cf_insn_sizes[code[pc]];
    if (MB_UNLIKELY(size == 0)) {
        return cf_insn_size_variable(code, code_size, pc);
    }
    return MB_LIKELY(size <= code_size - pc) ? size : 0;
}

/* The functions below want a pc for which cf_insn_size gave a size. */

/* The opcode, skipping wide. */
static inline uint8_t cf_insn_opcode(const uint8_t *code, uint32_t pc)
{
    return MB_UNLIKELY(code[pc] == CF_OP_WIDE) ? code[pc + 1] : code[pc];
}

/* The constant pool index among the operands; 0 if the instruction has none. */
uint16_t cf_insn_pool_index(const uint8_t *code, uint32_t pc);

/* The target of a jump, goto or jsr, which may lie outside the code; false for all others. */
static inline bool cf_insn_branch(const uint8_t *code, uint32_t pc, int64_t *target)
{
    switch (cf_opcode(code[pc])->operands) {
    case CF_OPERANDS_BRANCH2:
        *target = (int64_t)pc + (int16_t)mb_get_u2(code + pc + 1);
        return true;
    case CF_OPERANDS_BRANCH4:
        *target = (int64_t)pc + (int32_t)mb_get_u4(code + pc + 1);
        return true;
    default:
        return false;
    }
}

/* A tableswitch or lookupswitch as rows. */
struct cf_switch {
    const uint8_t *base; /* of the default distance, after the padding */
    const uint8_t *rows; /* count rows of row_size bytes; the last 4 are the distance */
    uint32_t count;
    uint32_t row_size; /* 4 or 8 */
    uint32_t pc;
};

/* pc must point to a switch (asserted). */
struct cf_switch cf_switch_at(const uint8_t *code, uint32_t pc);

/* Targets may lie outside the code. row == count asks for the default. */
int64_t cf_switch_target(const struct cf_switch *table, uint32_t row);

#endif
