/* What an instruction does to locals and stack, told anew from the type checker of the JVMS
 * (§4.10.1.9), by other means than classfile/simulate.c: values instead of slots, rules by groups
 * of opcodes instead of a table, types as text. */

#ifndef CLASSFILE_VERIFIER_MODEL_H
#define CLASSFILE_VERIFIER_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_LOCALS 12
#define MODEL_STACK 16 /* values */

/* kind: I F J D, A a reference with its name in text, N null, R return address, T uninitialized
 * this, U uninitialized of the new at pc, '-' top. A J or D in locals has a '-' behind it. */
struct model_value {
    char kind;
    char text[40]; /* A: class name or array descriptor; U: the class of the new */
    uint32_t pc;   /* U */
};

struct model {
    struct model_value locals[MODEL_LOCALS];
    struct model_value stack[MODEL_STACK];
    size_t depth; /* values, not slots */
};

/* One instruction in terms of the model. */
struct model_insn {
    uint32_t pc;
    uint8_t opcode;
    uint16_t local;         /* loads, stores, iinc, ret */
    const char *descriptor; /* of the field, method or constant; NULL for others */
    const char *name;       /* of the method, or of the class that is meant */
    uint8_t operand;        /* newarray: element type; multianewarray: dimensions */
};

/* Changes the model and says true, or says false: no verifier lets this through here. */
bool model_step(struct model *model, const struct model_insn *insn, const char *this_class);

/* Slots that the stack takes. */
size_t model_stack_slots(const struct model *model);

#endif
