#include "formats/html_calls.h"

#include <libdeflate.h>

#define LEVEL 6

void format_pack_u32(struct mb_buf *raw, uint32_t value)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        mb_buf_put_u1(raw, value >> shift & 0xff);
    }
}

size_t format_pack_begin_column(struct mb_buf *raw)
{
    format_pack_u32(raw, 0);
    return raw->size;
}

void format_pack_number(struct mb_buf *raw, uint64_t number)
{
    uint64_t rest = number < FORMAT_PACK_MAX ? number : FORMAT_PACK_MAX;

    for (; rest > 127; rest >>= 7) {
        mb_buf_put_u1(raw, (unsigned)(rest & 127) | 128);
    }
    mb_buf_put_u1(raw, (unsigned)rest);
}

void format_pack_signed(struct mb_buf *raw, int64_t number)
{
    uint64_t size = number < 0 ? ~(uint64_t)number : (uint64_t)number;

    size = size < FORMAT_PACK_MAX / 2 ? size : FORMAT_PACK_MAX / 2 - 1;
    format_pack_number(raw, size << 1 | (number < 0));
}

void format_pack_end_column(struct mb_buf *raw, size_t column)
{
    if (!raw->failed) {
        uint32_t size = (uint32_t)(raw->size - column);
        for (unsigned i = 0; i < 4; i++) {
            raw->bytes[column - 4 + i] = (uint8_t)(size >> 8 * i);
        }
    }
}

/* RFC 4648. */
static void put_base64(struct mb_buf *out, const uint8_t *bytes, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t *to = size > 0 ? mb_buf_extend(out, (size + 2) / 3 * 4) : NULL;

    for (size_t i = 0; to != NULL && i < size; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= i + 2 < size ? bytes[i + 2] : 0;
        *to++ = (uint8_t)letters[group >> 18];
        *to++ = (uint8_t)letters[group >> 12 & 63];
        *to++ = (uint8_t)(i + 1 < size ? letters[group >> 6 & 63] : '=');
        *to++ = (uint8_t)(i + 2 < size ? letters[group & 63] : '=');
    }
}

/* Appends to packed; it fails without memory. */
static void deflate_raw(struct mb_buf *packed, const struct mb_buf *raw)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    size_t bound = compressor != NULL ? libdeflate_zlib_compress_bound(compressor, raw->size) : 0;

    packed->failed = packed->failed || raw->failed || compressor == NULL;
    if (!packed->failed && mb_buf_reserve(packed, bound)) {
        static const uint8_t nothing[1];
        packed->size += libdeflate_zlib_compress(compressor, raw->size > 0 ? raw->bytes : nothing,
                                                 raw->size, packed->bytes + packed->size, bound);
    }
    if (compressor != NULL) {
        libdeflate_free_compressor(compressor);
    }
}

void format_pack_element(struct mb_buf *out, const char *id, const struct mb_buf *raw)
{
    struct mb_buf packed = {0};

    deflate_raw(&packed, raw);
    mb_buf_printf(out, "<script type=\"text/plain\" id=\"%s\">", id);
    put_base64(out, packed.bytes, packed.failed ? 0 : packed.size);
    mb_buf_put_string(out, "</script>\n");
    mb_buf_finish_part(out, &packed);
}
