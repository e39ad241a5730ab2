/* Columns of whole numbers on their way into the page: varints, zlib, base64. */

#ifndef FORMATS_HTML_PACK_H
#define FORMATS_HTML_PACK_H

#include "base/buf.h"

/* Little endian. */
void format_pack_u32(struct mb_buf *raw, uint32_t value);

/* A column is its size in bytes and its numbers. Of those above FORMAT_PACK_MAX, which a program in
 * the page cannot hold exactly, that stays. */
#define FORMAT_PACK_MAX ((UINT64_C(1) << 53) - 1)
size_t format_pack_begin_column(struct mb_buf *raw);
void format_pack_number(struct mb_buf *raw, uint64_t number);
void format_pack_signed(struct mb_buf *raw,
                        int64_t number); /* small ones of either sign stay small */
void format_pack_end_column(struct mb_buf *raw, size_t column);

/* An element of that id with the bytes, packed. It shows nothing. */
void format_pack_element(struct mb_buf *out, const char *id, const struct mb_buf *raw);

#endif
