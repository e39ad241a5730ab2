/* A byte buffer that grows; puts integers big-endian, as class files want them. */

#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/check.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zeroed memory is a valid empty buffer. bytes belongs to the buffer and moves when it grows.
 * Running out of memory is sticky: later puts have no effect and failed stays set, so that a writer
 * checks once, at the end. */
struct mb_buf {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    bool failed;
};

/* Make room for size more bytes beyond the current end; false (and failed) without memory. */
bool mb_buf_reserve(struct mb_buf *buf, size_t size);

/* Replace the content by size zeroes, of which pages take memory when they are touched; false (and
 * failed) without memory. */
bool mb_buf_zero(struct mb_buf *buf, size_t size);

/* size bytes at the end to be filled by the caller; NULL (and failed) without memory. */
static inline uint8_t *mb_buf_extend(struct mb_buf *buf, size_t size);

/* Room for count items of size bytes instead of the content, uninitialised; NULL (and failed)
 * without memory. */
void *mb_buf_take(struct mb_buf *buf, size_t count, size_t size);

static inline void mb_buf_put(struct mb_buf *buf, const void *bytes, size_t size);
static inline void mb_buf_put_u1(struct mb_buf *buf, unsigned value);
static inline void mb_buf_put_u2(struct mb_buf *buf, unsigned value);
static inline void mb_buf_put_u4(struct mb_buf *buf, uint32_t value);

/* Text, without the '\0'. */
void mb_buf_put_string(struct mb_buf *buf, const char *string);
void mb_buf_put_decimal(struct mb_buf *buf, int64_t number);
void mb_buf_printf(struct mb_buf *buf, const char *format, ...) MB_PRINTF(2, 3);

/* Overwrite bytes that were put before; offset and width must lie inside (asserted). */
void mb_buf_patch_u2(struct mb_buf *buf, size_t offset, unsigned value);
void mb_buf_patch_u4(struct mb_buf *buf, size_t offset, uint32_t value);

/* Forget the content, keep the memory, forgive a failure. */
void mb_buf_reset(struct mb_buf *buf);
void mb_buf_finish(struct mb_buf *buf);

/* Fail where a part has that out is made from. */
void mb_buf_fail_with(struct mb_buf *out, const struct mb_buf *part);

/* The same, and finish the part: the one way to be done with a text on its way into another. */
void mb_buf_finish_part(struct mb_buf *out, struct mb_buf *part);

/* MB_NO_MEMORY if a put failed. */
MB_MUST_CHECK enum mb_status mb_buf_check(const struct mb_buf *buf, struct mb_error *err);

/* Big-endian integers at a place whose bounds the caller has checked. */
static inline uint16_t mb_get_u2(const uint8_t *b)
{
    return (uint16_t)((unsigned)b[0] << 8 | b[1]);
}

static inline uint32_t mb_get_u4(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static inline void mb_set_u2(uint8_t *b, unsigned value)
{
    b[0] = (uint8_t)(value >> 8);
    b[1] = (uint8_t)value;
}

static inline void mb_set_u4(uint8_t *b, uint32_t value)
{
    b[0] = (uint8_t)(value >> 24);
    b[1] = (uint8_t)(value >> 16);
    b[2] = (uint8_t)(value >> 8);
    b[3] = (uint8_t)value;
}

static inline uint8_t *mb_buf_extend(struct mb_buf *buf, size_t size)
{
    if (MB_UNLIKELY(buf->failed || size > buf->capacity - buf->size) &&
        !mb_buf_reserve(buf, size)) {
        return NULL;
    }
    buf->size += size;
    return buf->bytes + buf->size - size;
}

static inline void mb_buf_put(struct mb_buf *buf, const void *bytes, size_t size)
{
    uint8_t *place = size > 0 ? mb_buf_extend(buf, size) : NULL;

    if (place != NULL) {
        memcpy(place, bytes, size);
    }
}

static inline void mb_buf_put_u1(struct mb_buf *buf, unsigned value)
{
    uint8_t *place = mb_buf_extend(buf, 1);

    if (place != NULL) {
        place[0] = (uint8_t)value;
    }
}

static inline void mb_buf_put_u2(struct mb_buf *buf, unsigned value)
{
    uint8_t *place = mb_buf_extend(buf, 2);

    if (place != NULL) {
        mb_set_u2(place, value);
    }
}

static inline void mb_buf_put_u4(struct mb_buf *buf, uint32_t value)
{
    uint8_t *place = mb_buf_extend(buf, 4);

    if (place != NULL) {
        mb_set_u4(place, value);
    }
}

#endif
