#include "classfile/cursor.h"

struct cf_cursor cf_cursor_over(const uint8_t *bytes, size_t size)
{
    return (struct cf_cursor){.next = bytes, .end = bytes + size, .base = bytes};
}

const uint8_t *cf_read_bytes(struct cf_cursor *in, size_t size)
{
    if (cf_cursor_left(in) < size) {
        in->overrun = true;
        in->next = in->end;
        return NULL;
    }
    in->next += size;
    return in->next - size;
}

struct cf_cursor cf_read_slice(struct cf_cursor *in, size_t size)
{
    struct cf_cursor slice = *in;
    const uint8_t *bytes = cf_read_bytes(in, size);

    slice.overrun = in->overrun;
    slice.next = bytes != NULL ? bytes : in->end;
    slice.end = bytes != NULL ? bytes + size : in->end;
    return slice;
}
