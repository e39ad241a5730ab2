#include "archive/codec.h"

#include <libdeflate.h>
#include <stdlib.h>

struct ar_codec {
    struct libdeflate_decompressor *inflater;
    struct libdeflate_compressor *deflater; /* NULL: store */
};

static const int levels[] = {
    [AR_COMPRESSION_FAST] = 1,
    [AR_COMPRESSION_BEST] = 6,
    [AR_COMPRESSION_STORE] = 0,
};

struct ar_codec *ar_codec_create(enum ar_compression compression)
{
    struct ar_codec *codec = calloc(1, sizeof(*codec));
    int level = levels[compression];

    if (codec == NULL) {
        return NULL;
    }
    codec->inflater = libdeflate_alloc_decompressor();
    codec->deflater = level > 0 ? libdeflate_alloc_compressor(level) : NULL;
    if (codec->inflater == NULL || (level > 0 && codec->deflater == NULL)) {
        ar_codec_destroy(codec);
        return NULL;
    }
    return codec;
}

void ar_codec_destroy(struct ar_codec *codec)
{
    if (codec != NULL) {
        libdeflate_free_decompressor(codec->inflater);
        libdeflate_free_compressor(codec->deflater);
        free(codec);
    }
}

bool ar_inflate(struct ar_codec *codec, struct mb_text packed, void *place, size_t size)
{
    size_t used = 0;

    return libdeflate_deflate_decompress_ex(codec->inflater, packed.data, packed.size, place, size,
                                            &used, NULL) == LIBDEFLATE_SUCCESS &&
           used == packed.size;
}

uint32_t ar_crc32(struct mb_text content)
{
    return libdeflate_crc32(0, content.data, content.size);
}

/* libzip computes the CRC of stored data even if it is given. */
struct ar_packed ar_packed_store(struct mb_text content)
{
    return (struct ar_packed){
        .bytes = (const uint8_t *)content.data,
        .packed_size = content.size,
        .size = content.size,
        .method = AR_METHOD_STORE,
    };
}

enum mb_status ar_pack(struct ar_codec *codec, struct mb_text content, struct mb_buf *out,
                       struct ar_packed *packed, struct mb_error *err)
{
    *packed = ar_packed_store(content);
    if (codec->deflater == NULL) {
        return MB_OK;
    }
    packed->crc32 = ar_crc32(content);
    size_t bound = libdeflate_deflate_compress_bound(codec->deflater, content.size);
    if (!mb_buf_reserve(out, bound)) {
        return mb_fail_memory(err);
    }
    /* Always deflate, even content that does not shrink: a source must know its method
     * beforehand. */
    packed->method = AR_METHOD_DEFLATE;
    packed->bytes = out->bytes + out->size;
    packed->packed_size = libdeflate_deflate_compress(codec->deflater, content.data, content.size,
                                                      out->bytes + out->size, bound);
    out->size += packed->packed_size;
    return MB_OK;
}

void ar_pack_uncompressed(struct mb_text content, struct mb_buf *out)
{
    size_t size = 0;

    do {
        content.data += size;
        content.size -= size;
        size = content.size < UINT16_MAX ? content.size : UINT16_MAX;
        const uint8_t header[5] = {size == content.size, (uint8_t)size, (uint8_t)(size >> 8),
                                   (uint8_t)~size, (uint8_t)(~size >> 8)};
        mb_buf_put(out, header, sizeof(header));
        mb_buf_put(out, content.data, size);
    } while (size < content.size);
}

/* the declaration of zlib.h, which no other code here needs */
unsigned long crc32(unsigned long crc, const unsigned char *bytes, unsigned size);

/* libzip computes the CRC of stored data by calling zlib. A program's definition takes precedence
 * over those of its libraries (System V ABI, symbol resolution), so libzip calls this one: the same
 * function, with the processor's carry-less multiplication. Elsewhere it calls zlib's. */
unsigned long crc32(unsigned long crc, const unsigned char *bytes, unsigned size)
{
    return libdeflate_crc32((uint32_t)crc, bytes, size);
}
