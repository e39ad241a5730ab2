/* A small method that is moved apart, and the tables of its pcs. */

#ifndef CLASSFILE_MOVED_H
#define CLASSFILE_MOVED_H

#include "classfile/tables.h"

/* 4 bytes before pc 0, 4 before pc 10. */
static const struct cf_offset_point points[] = {{0, 4}, {20, 8}};

enum { CODE_SIZE = 21 };

static uint16_t shifts[2 * CODE_SIZE + CF_SHIFTS_SPARE];

static struct cf_offsets map(void)
{
    struct cf_offsets offsets;

    cf_offsets_fill(&offsets, points, MB_COUNT(points), CODE_SIZE, shifts);
    return offsets;
}

typedef enum mb_status relocate_fn(const struct cf_attribute *attribute,
                                   const struct cf_offsets *offsets, struct mb_buf *out,
                                   struct mb_error *err);

static enum mb_status relocate(relocate_fn *function, const uint8_t *bytes, size_t size,
                               struct mb_buf *out)
{
    struct cf_offsets offsets = map();
    struct cf_attribute attribute = {.bytes = bytes, .size = (uint32_t)size};

    mb_buf_reset(out);
    return function(&attribute, &offsets, out, NULL);
}

#endif
