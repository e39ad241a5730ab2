/* Memory, and the integers of zip files. */

#include "iolimit.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void io_stop(const char *where, const char *why)
{
    fprintf(stderr, "iolimit: %s: %s\n", where, why);
    exit(1);
}

void *io_resize(void *memory, size_t size)
{
    void *resized = realloc(memory, size);

    if (resized == NULL) {
        io_stop("memory", "none left");
    }
    return resized;
}

uint8_t *io_make_room(struct bytes *bytes, size_t size)
{
    if (bytes->capacity - bytes->size <= size) { /* never NULL */
        bytes->capacity = 2 * (bytes->size + size) + 1;
        bytes->data = io_resize(bytes->data, bytes->capacity);
    }
    return bytes->data + bytes->size;
}

uint16_t io_get_u2(const uint8_t *b)
{
    return (uint16_t)((unsigned)b[1] << 8 | b[0]);
}

uint32_t io_get_u4(const uint8_t *b)
{
    return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

uint8_t *io_put_u2(uint8_t *b, unsigned value)
{
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
    return b + 2;
}

uint8_t *io_put_u4(uint8_t *b, size_t value)
{
    if (value > UINT32_MAX) {
        io_stop("output", "needs zip64");
    }
    return io_put_u2(io_put_u2(b, (unsigned)value & 0xffff), (unsigned)(value >> 16));
}
