/* Which types are in locals and on the stack, followed along a straight line of code: between two
 * stack map frames every result is known from operands, pool and descriptors, so no class hierarchy
 * is needed (JVMS §4.10.1.9). */

#ifndef CLASSFILE_SIMULATE_H
#define CLASSFILE_SIMULATE_H

#include "classfile/code.h"
#include "classfile/constants.h"
#include "classfile/frames.h"
#include "classfile/offsets.h"

enum {                             /* beyond enum cf_type_tag; in no frame */
       CF_SLOT_RETURN_ADDRESS = 9, /* of jsr */
       CF_SLOT_SECOND = 10,        /* upper half of a long or double */
};

/* What one slot holds. */
struct cf_slot {
    uint8_t tag;         /* enum cf_type_tag, or one of ours */
    uint16_t value;      /* OBJECT: Class index, or 0; UNINITIALIZED: pc of its new */
    struct mb_text name; /* OBJECT without an index: name, or descriptor of an array; borrowed */
    bool is_element;     /* name is a field descriptor whose L and ; still belong to it */
};

struct cf_state {
    const struct cf_class *cls;
    const struct cf_code *code;
    struct cf_slot *locals; /* max_locals slots */
    struct cf_slot *stack;  /* max_stack slots */
    uint32_t depth;
    uint32_t declared; /* slots of locals that the last frame, or the entry, speaks of */
    bool is_broken;    /* the code does what no verifier lets through: sticky */
};

/* The state at the entry of the method, in the arena. */
MB_MUST_CHECK enum mb_status cf_state_enter(struct cf_state *state, const struct cf_class *cls,
                                            const struct cf_member *method,
                                            const struct cf_code *code, struct mb_arena *arena,
                                            struct mb_error *err);

/* A copy of its own slots; false without memory. */
bool cf_state_copy(struct cf_state *copy, const struct cf_state *state, struct mb_arena *arena);

/* dest, a copy of the same method's, becomes equal to state. */
void cf_state_assign(struct cf_state *dest, const struct cf_state *state);

/* From the state at one frame, or at the entry, to that at the next: so it must not be one that
 * went on by steps. */
void cf_state_apply(struct cf_state *state, const struct cf_frame *frame);

/* Carry out the instruction at pc, which cf_insn_size has accepted. */
void cf_state_step(struct cf_state *state, uint32_t pc);

/* Only the exception is on the stack. */
void cf_state_catch(struct cf_state *state);

/* Whether a local or the stack holds an uninitialized this. */
bool cf_state_has_uninitialized_this(const struct cf_state *state);

/* Append the body of a full_frame, in new offsets. Types whose Class is not in the pool are added
 * to constants. False: a type that no frame can name, or no place. */
bool cf_state_put_frame(const struct cf_state *state, const struct cf_offsets *offsets,
                        struct cf_constants *constants, struct mb_buf *out);

#endif
