/* Packing and unpacking the data of an entry, with libdeflate. */

#ifndef ARCHIVE_CODEC_H
#define ARCHIVE_CODEC_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

enum ar_method { /* APPNOTE 4.4.5 */
                 AR_METHOD_STORE = 0,
                 AR_METHOD_DEFLATE = 8,
};

enum ar_compression {
    AR_COMPRESSION_FAST, /* libdeflate level 1 */
    AR_COMPRESSION_BEST, /* level 6: the size of zlib's 6 in a third of its time */
    AR_COMPRESSION_STORE,
};

/* A thread's inflater and deflater. */
struct ar_codec;
/* NULL when out of memory. */
struct ar_codec *ar_codec_create(enum ar_compression compression);
void ar_codec_destroy(struct ar_codec *codec);

/* An entry's data as an archive holds it. */
struct ar_packed {
    const uint8_t *bytes; /* borrowed */
    size_t packed_size;
    uint64_t size;
    uint32_t crc32;  /* of the content; unknown (0) where the method is STORE */
    uint16_t method; /* enum ar_method, or the method of an input entry */
};

/* The content itself, to be stored. */
struct ar_packed ar_packed_store(struct mb_text content);

/* Pack content with the codec's compression, appending to out; content that does not shrink becomes
 * stored blocks. packed->bytes views out, or content itself if it is not compressed. */
MB_MUST_CHECK enum mb_status ar_pack(struct ar_codec *codec, struct mb_text content,
                                     struct mb_buf *out, struct ar_packed *packed,
                                     struct mb_error *err);

/* Append content as deflate data in stored blocks (RFC 1951, section 3.2.4). */
void ar_pack_uncompressed(struct mb_text content, struct mb_buf *out);

/* Unpack deflated data of exactly size bytes to place. False if it is anything else. */
bool ar_inflate(struct ar_codec *codec, struct mb_text packed, void *place, size_t size);
uint32_t ar_crc32(struct mb_text content);

#endif
