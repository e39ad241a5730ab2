#include "classfile/cursor.h"

struct cf_cursor cf_read_slice(struct cf_cursor *in, size_t size)
{
    struct cf_cursor slice = *in;
    const uint8_t *bytes = cf_read_bytes(in, size);

    slice.overrun = in->overrun;
    slice.next = bytes != NULL ? bytes : in->end;
    slice.end = bytes != NULL ? bytes + size : in->end;
    return slice;
}
