/* Bounded big-endian reader, for bytes whose end is not yet checked; slices that it gave out are
 * read in place (mb_get_u2). */

#ifndef CLASSFILE_CURSOR_H
#define CLASSFILE_CURSOR_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A view of borrowed bytes. Reading past the end sets overrun, which stays, and gives 0; so parse a
 * whole structure before checking once. Check before using a count as a loop bound or an allocation
 * size. */
struct cf_cursor {
    const uint8_t *next;
    const uint8_t *end;
    const uint8_t *base; /* offset 0 of messages: the start of the class file */
    bool overrun;
};

static inline struct cf_cursor cf_cursor_over(const uint8_t *bytes, size_t size)
{
    return (struct cf_cursor){.next = bytes, .end = bytes + size, .base = bytes};
}

/* True if all bytes were read, and none beyond. */
static inline bool cf_cursor_done(const struct cf_cursor *in)
{
    return !in->overrun && in->next == in->end;
}

/* Bytes not yet read. */
static inline size_t cf_cursor_left(const struct cf_cursor *in)
{
    return (size_t)(in->end - in->next);
}

/* Where the next byte is, from the start of the class file. */
static inline size_t cf_cursor_offset(const struct cf_cursor *in)
{
    return (size_t)(in->next - in->base);
}

/* The next size bytes, which in moves past; NULL and overrun if fewer are left. */
static inline const uint8_t *cf_read_bytes(struct cf_cursor *in, size_t size)
{
    if (MB_UNLIKELY(cf_cursor_left(in) < size)) {
        in->overrun = true;
        in->next = in->end;
        return NULL;
    }
    in->next += size;
    return in->next - size;
}

/* Split off the next size bytes: in moves past them, the result ends after them. If fewer are
 * left, both cursors are overrun and the result is empty. */
static inline struct cf_cursor cf_read_slice(struct cf_cursor *in, size_t size)
{
    const uint8_t *bytes = cf_read_bytes(in, size);

    return (struct cf_cursor){
        .next = bytes != NULL ? bytes : in->end,
        .end = bytes != NULL ? bytes + size : in->end,
        .base = in->base,
        .overrun = in->overrun,
    };
}

static inline uint8_t cf_read_u1(struct cf_cursor *in)
{
    const uint8_t *b = cf_read_bytes(in, 1);

    return b != NULL ? b[0] : 0;
}

static inline uint16_t cf_read_u2(struct cf_cursor *in)
{
    const uint8_t *b = cf_read_bytes(in, 2);

    return b != NULL ? mb_get_u2(b) : 0;
}

static inline uint32_t cf_read_u4(struct cf_cursor *in)
{
    const uint8_t *b = cf_read_bytes(in, 4);

    return b != NULL ? mb_get_u4(b) : 0;
}

#endif
