/* Where each pc of the old code is in the new code. */

#ifndef CLASSFILE_OFFSETS_H
#define CLASSFILE_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

/* Code moves at points. Bytes put before the instruction at pc are a point with the key 2 * pc;
 * growth of the instruction itself, which moves what follows it, has 2 * pc + 1. */
struct cf_offset_point {
    uint32_t key;
    uint32_t shift; /* bytes added up to and with this point; modulo 2^32 */
};

/* Borrowed points, keys strictly ascending. hint makes ascending look-ups cheap. */
struct cf_offsets {
    const struct cf_offset_point *points;
    size_t count;
    size_t hint;
};

/* The shift of all points with a key below this one. */
uint32_t cf_offsets_search(struct cf_offsets *offsets, uint32_t key);

static inline uint32_t cf_offsets_shift(struct cf_offsets *offsets, uint32_t key)
{
    size_t at = offsets->hint;
    const struct cf_offset_point *points = offsets->points;

    if ((at == 0 || points[at - 1].key < key) && (at == offsets->count || key <= points[at].key)) {
        return at > 0 ? points[at - 1].shift : 0;
    }
    return cf_offsets_search(offsets, key);
}

/* The instruction itself, behind what was put before it. */
static inline uint32_t cf_offsets_instruction(struct cf_offsets *offsets, uint32_t pc)
{
    return pc + cf_offsets_shift(offsets, 2 * pc + 1);
}

/* Where jumps to pc land: at what was put before it, so that an exit probe runs. Only at pc 0 they
 * land behind it: the entry probe counts calls, not rounds of a loop. */
static inline uint32_t cf_offsets_target(struct cf_offsets *offsets, uint32_t pc)
{
    return pc + cf_offsets_shift(offsets, pc == 0 ? 1 : 2 * pc);
}

/* Where a line or a variable that begins at pc begins: with what was put before it. */
static inline uint32_t cf_offsets_start(struct cf_offsets *offsets, uint32_t pc)
{
    return pc + cf_offsets_shift(offsets, 2 * pc);
}

#endif
