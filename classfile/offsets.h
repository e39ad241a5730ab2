/* Where each pc of the old code is in the new code. */

#ifndef CLASSFILE_OFFSETS_H
#define CLASSFILE_OFFSETS_H

#include "base/check.h"

#include <stddef.h>
#include <stdint.h>

/* Code moves at points. Bytes put before the instruction at pc are a point with the key 2 * pc;
 * growth of the instruction itself, which moves what follows it, has 2 * pc + 1. */
struct cf_offset_point {
    uint32_t key;
    uint32_t shift; /* bytes added up to and with this point; modulo 2^32 */
};

/* Precomputed shift for each key, the sum of all points below it: a method has far more lookups
 * than points. Borrowed; zeroed memory has no shifts. */
struct cf_offsets {
    const uint16_t *shifts; /* modulo 2^16, as no pc is larger */
    size_t count;
    uint32_t end_shift; /* of keys from count on */
};

/* The keys of points ascend strictly, and lie inside the code. shifts has room for
 * 2 * code_size + CF_SHIFTS_SPARE. */
#define CF_SHIFTS_SPARE 15U
void cf_offsets_fill(struct cf_offsets *offsets, const struct cf_offset_point *points, size_t count,
                     uint32_t code_size, uint16_t *shifts);

static inline uint32_t cf_offsets_move(const struct cf_offsets *offsets, uint32_t pc, uint32_t key)
{
    return MB_LIKELY(key < offsets->count) ? (uint16_t)(pc + offsets->shifts[key])
                                           : pc + offsets->end_shift;
}

/* The instruction itself, after its insertion. */
static inline uint32_t cf_offsets_instruction(const struct cf_offsets *offsets, uint32_t pc)
{
    return cf_offsets_move(offsets, pc, 2 * pc + 1);
}

/* The target of jumps to pc: its insertion, so that an exit probe runs. Only at pc 0 they land
 * after it: the entry probe counts calls, not rounds of a loop. */
static inline uint32_t cf_offsets_target(const struct cf_offsets *offsets, uint32_t pc)
{
    return cf_offsets_move(offsets, pc, pc == 0 ? 1 : 2 * pc);
}

/* The begin of a line or variable that begins at pc: at its insertion. */
static inline uint32_t cf_offsets_start(const struct cf_offsets *offsets, uint32_t pc)
{
    return cf_offsets_move(offsets, pc, 2 * pc);
}

#endif
