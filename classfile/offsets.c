#include "classfile/offsets.h"

#include <string.h>

#define BLOCK (CF_SHIFTS_SPARE + 1)

/* Whole blocks: a run overwrites the excess of the one before. */
static void fill_shifts(uint16_t *shifts, size_t from, size_t to, uint32_t shift)
{
    uint16_t block[BLOCK];

    for (size_t i = 0; i < BLOCK; i++) {
        block[i] = (uint16_t)shift;
    }
    for (; from < to; from += BLOCK) {
        memcpy(shifts + from, block, sizeof(block));
    }
}

void cf_offsets_fill(struct cf_offsets *offsets, const struct cf_offset_point *points, size_t count,
                     uint32_t code_size, uint16_t *shifts)
{
    size_t key_count = 2 * (size_t)code_size;
    size_t done = 0;
    uint32_t shift = 0;

    for (size_t i = 0; i < count; i++) {
        fill_shifts(shifts, done, (size_t)points[i].key + 1, shift);
        done = (size_t)points[i].key + 1;
        shift = points[i].shift;
    }
    fill_shifts(shifts, done, key_count, shift);
    *offsets = (struct cf_offsets){.shifts = shifts, .count = key_count, .end_shift = shift};
}
