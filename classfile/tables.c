#include "classfile/tables.h"

#include <string.h>

/* ---- Offsets ---- */

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

/* ---- Attributes ---- */

/* Copy a table of u2 count and rows of row_size; NULL and *status set if the sizes disagree. */
static uint8_t *copy_rows(const struct cf_attribute *attribute, size_t row_size, uint16_t *count,
                          struct mb_buf *out, struct mb_error *err)
{
    *count = attribute->size >= 2 ? mb_get_u2(attribute->bytes) : 0;
    if (attribute->size != 2 + *count * row_size) {
        (void)mb_fail(err, MB_BAD_CLASS, attribute->offset, "table of %u rows in %u bytes", *count,
                      attribute->size);
        return NULL;
    }
    uint8_t *copy = mb_buf_extend(out, attribute->size);
    if (copy == NULL) {
        (void)mb_fail_memory(err);
        return NULL;
    }
    memcpy(copy, attribute->bytes, attribute->size);
    return copy + 2;
}

static enum mb_status copy_failure(const struct mb_buf *out)
{
    return out->failed ? MB_NO_MEMORY : MB_BAD_CLASS;
}

enum mb_status cf_lines_relocate(const struct cf_attribute *attribute,
                                 const struct cf_offsets *offsets, struct mb_buf *out,
                                 struct mb_error *err)
{
    uint16_t count;
    uint8_t *row = copy_rows(attribute, 4, &count, out, err);

    if (row == NULL) {
        return copy_failure(out);
    }
    for (const uint8_t *end = row + (size_t)count * 4; row < end; row += 4) {
        mb_set_u2(row, cf_offsets_start(offsets, mb_get_u2(row)));
    }
    return MB_OK;
}

void cf_span_relocate(uint8_t span[4], const struct cf_offsets *offsets)
{
    uint32_t start_pc = mb_get_u2(span);
    uint32_t end_pc = start_pc + mb_get_u2(span + 2);
    uint32_t new_start = cf_offsets_start(offsets, start_pc);

    mb_set_u2(span, new_start);
    mb_set_u2(span + 2, cf_offsets_start(offsets, end_pc) - new_start);
}

enum mb_status cf_variables_relocate(const struct cf_attribute *attribute,
                                     const struct cf_offsets *offsets, struct mb_buf *out,
                                     struct mb_error *err)
{
    uint16_t count;
    uint8_t *row = copy_rows(attribute, 10, &count, out, err);

    if (row == NULL) {
        return copy_failure(out);
    }
    for (const uint8_t *end = row + (size_t)count * 10; row < end; row += 10) {
        cf_span_relocate(row, offsets);
    }
    return MB_OK;
}

enum mb_status cf_character_ranges_relocate(const struct cf_attribute *attribute,
                                            const struct cf_offsets *offsets, struct mb_buf *out,
                                            struct mb_error *err)
{
    uint16_t count;
    uint8_t *row = copy_rows(attribute, 14, &count, out, err);

    if (row == NULL) {
        return copy_failure(out);
    }
    for (const uint8_t *end = row + (size_t)count * 14; row < end; row += 14) {
        uint32_t last_pc = mb_get_u2(row + 2); /* inclusive */
        mb_set_u2(row, cf_offsets_start(offsets, mb_get_u2(row)));
        mb_set_u2(row + 2, cf_offsets_start(offsets, last_pc + 1) - 1);
    }
    return MB_OK;
}
