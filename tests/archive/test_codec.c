#include "archive/codec.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 100, 65534, 65535, 65536, 200000};

/* Neither all alike nor all different. */
static struct mb_text make_content(char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(i * i >> 5);
    }
    return (struct mb_text){bytes, size};
}

static void expect_unpacked(struct ar_codec *codec, struct mb_text packed, struct mb_text content)
{
    char *place = malloc(content.size + 1);

    cr_expect(ar_inflate(codec, packed, place, content.size));
    cr_expect(mb_text_equal((struct mb_text){place, content.size}, content));
    cr_expect(eq(int, ar_inflate(codec, packed, place, content.size + 1), false)); /* too many */
    cr_expect(content.size == 0 || !ar_inflate(codec, packed, place, content.size - 1));
    packed.size--;
    cr_expect(eq(int, ar_inflate(codec, packed, place, content.size), false)); /* cut off */
    free(place);
}

Test(codec, what_is_packed_is_unpacked)
{
    static char bytes[200000];

    for (size_t i = 0; i < 2 * MB_COUNT(sizes); i++) {
        struct ar_codec *codec =
            ar_codec_create(i % 2 == 0 ? AR_COMPRESSION_FAST : AR_COMPRESSION_BEST);
        struct mb_text content = make_content(bytes, sizes[i / 2]);
        struct mb_buf out = {0};
        struct ar_packed packed;
        cr_assert(eq(int, ar_pack(codec, content, &out, &packed, NULL), MB_OK));
        cr_expect(eq(u16, packed.method, AR_METHOD_DEFLATE));
        cr_expect(eq(u64, packed.size, content.size));
        cr_expect(eq(u32, packed.crc32, ar_crc32(content)));
        expect_unpacked(codec, (struct mb_text){(const char *)packed.bytes, packed.packed_size},
                        content);
        mb_buf_finish(&out);
        ar_codec_destroy(codec);
    }
}

/* Blocks of 65,535 bytes at most, the last one marked. */
Test(codec, uncompressed_data_is_deflate_data_too)
{
    static char bytes[200000];
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);

    for (size_t i = 0; i < MB_COUNT(sizes); i++) {
        struct mb_text content = make_content(bytes, sizes[i]);
        struct mb_buf out = {0};
        ar_pack_uncompressed(content, &out);
        size_t blocks = sizes[i] > 0 ? (sizes[i] + 65534) / 65535 : 1;
        cr_expect(eq(sz, out.size, sizes[i] + 5 * blocks));
        expect_unpacked(codec, (struct mb_text){(const char *)out.bytes, out.size}, content);
        mb_buf_finish(&out);
    }
    ar_codec_destroy(codec);
}

Test(codec, what_is_stored_is_a_view)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);
    struct mb_text content = MB_TEXT("content");
    struct mb_buf out = {0};
    struct ar_packed packed;

    cr_assert(eq(int, ar_pack(codec, content, &out, &packed, NULL), MB_OK));
    cr_expect(packed.bytes == (const uint8_t *)content.data && out.size == 0);
    cr_expect(eq(u16, packed.method, AR_METHOD_STORE));
    cr_expect(eq(u64, packed.packed_size, content.size));
    ar_codec_destroy(codec);
}
