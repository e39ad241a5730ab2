#include "base/buf.h"

#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY ((size_t)256)

static bool grow_to(struct mb_buf *buf, size_t size)
{
    if (buf->failed || size > SIZE_MAX / 2 - buf->size ||
        (mb_alloc_should_fail != NULL && mb_alloc_should_fail() != 0)) {
        buf->failed = true;
        return false;
    }
    size_t capacity = buf->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : buf->capacity;
    while (capacity < buf->size + size) {
        capacity *= 2;
    }
    uint8_t *bytes = realloc(buf->bytes, capacity);
    if (bytes == NULL) {
        buf->failed = true;
        return false;
    }
    buf->bytes = bytes;
    buf->capacity = capacity;
    return true;
}

bool mb_buf_reserve(struct mb_buf *buf, size_t size)
{
    return !buf->failed && (size <= buf->capacity - buf->size || grow_to(buf, size));
}

bool mb_buf_zero(struct mb_buf *buf, size_t size)
{
    mb_buf_finish(buf);
    if (mb_alloc_should_fail == NULL || mb_alloc_should_fail() == 0) {
        buf->bytes = calloc(1, size);
    }
    buf->failed = buf->bytes == NULL;
    buf->capacity = buf->failed ? 0 : size;
    buf->size = buf->capacity;
    return !buf->failed;
}

void *mb_buf_take(struct mb_buf *buf, size_t count, size_t size)
{
    mb_buf_reset(buf);
    buf->failed = count > SIZE_MAX / size;
    return mb_buf_extend(buf, count * size);
}

void mb_buf_put_string(struct mb_buf *buf, const char *string)
{
    mb_buf_put(buf, string, strlen(string));
}

void mb_buf_put_decimal(struct mb_buf *buf, int64_t number)
{
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[24];
    char *at = digits + sizeof(digits);

    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) {
        *--at = '-';
    }
    mb_buf_put(buf, at, (size_t)(digits + sizeof(digits) - at));
}

void mb_buf_printf(struct mb_buf *buf, const char *format, ...)
{
    va_list args;
    va_list again;

    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    if (size < 0) {
        buf->failed = true;
    } else if (mb_buf_reserve(buf, (size_t)size + 1)) {
        (void)vsnprintf((char *)buf->bytes + buf->size, (size_t)size + 1, format, again);
        buf->size += (size_t)size;
    }
    va_end(again);
    va_end(args);
}

void mb_buf_patch_u2(struct mb_buf *buf, size_t offset, unsigned value)
{
    if (!buf->failed) {
        assert(buf->size >= 2 && offset <= buf->size - 2);
        mb_set_u2(buf->bytes + offset, value);
    }
}

void mb_buf_patch_u4(struct mb_buf *buf, size_t offset, uint32_t value)
{
    if (!buf->failed) {
        assert(buf->size >= 4 && offset <= buf->size - 4);
        mb_set_u4(buf->bytes + offset, value);
    }
}

void mb_buf_reset(struct mb_buf *buf)
{
    buf->size = 0;
    buf->failed = false;
}

void mb_buf_finish(struct mb_buf *buf)
{
    free(buf->bytes);
    *buf = (struct mb_buf){0};
}

void mb_buf_fail_with(struct mb_buf *out, const struct mb_buf *part)
{
    out->failed = out->failed || part->failed;
}

void mb_buf_finish_part(struct mb_buf *out, struct mb_buf *part)
{
    mb_buf_fail_with(out, part);
    mb_buf_finish(part);
}

enum mb_status mb_buf_check(const struct mb_buf *buf, struct mb_error *err)
{
    return buf->failed ? mb_fail_memory(err) : MB_OK;
}
