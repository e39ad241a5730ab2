#include "archive/input.h"
#include "base/file.h"
#include "zip_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_file(char path[64], const char *suffix, struct mb_text bytes)
{
    (void)snprintf(path, 64, "/tmp/mb-input-XXXXXX%s", suffix);
    int fd = mkstemps(path, (int)strlen(suffix));

    cr_assert(eq(int, mb_file_write_all(fd, bytes.data, bytes.size, NULL), MB_OK));
    close(fd);
}

/* By its name or its first bytes; content is the file. */
Test(input, a_class_by_itself_is_its_only_entry)
{
    static const struct {
        const char *suffix;
        struct mb_text bytes;
    } rows[] = {{".class", MB_TEXT_ROW("broken")},
                {".class", MB_TEXT_ROW("")},
                {"", MB_TEXT_ROW("\xca\xfe\xba\xbe...")}};
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        char path[64];
        struct ar_input *input;
        struct mb_buf scratch = {0};
        struct mb_text content;
        put_file(path, rows[i].suffix, rows[i].bytes);
        cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
        cr_expect(eq(int, ar_input_kind(input), AR_INPUT_CLASS));
        cr_assert(eq(sz, ar_input_count(input), 1));
        cr_expect(mb_text_is(ar_input_entry(input, 0)->name, strrchr(path, '/') + 1));
        cr_assert(eq(int, ar_entry_read(input, 0, codec, &scratch, &content, NULL), MB_OK));
        cr_expect(mb_text_equal(content, rows[i].bytes));
        ar_input_close(input);
        mb_buf_finish(&scratch);
        unlink(path);
    }
    ar_codec_destroy(codec);
}

Test(input, dex_code_in_place_of_classes_is_refused)
{
    static const struct zip_entry with_class[] = {{.name = "classes.dex", .data = ""},
                                                  {.name = "A.class", .data = ""}};
    static const struct zip_options options = {0};
    struct mb_error err = {0};
    struct ar_input *input;
    char path[64];

    put_file(path, ".dex", MB_TEXT("dex\n035\0"));
    cr_expect(eq(int, ar_input_open(&input, path, &err), MB_BAD_ARCHIVE));
    cr_expect(strstr(err.reason, "holds dex code") != NULL, "%s", err.reason);
    unlink(path);
    zip_build(with_class, 1, &options, path);
    cr_expect(eq(int, ar_input_open(&input, path, &err), MB_BAD_ARCHIVE));
    cr_expect(strstr(err.reason, "holds dex code") != NULL, "%s", err.reason);
    unlink(path);
    zip_build(with_class, 2, &options, path);
    cr_expect(eq(int, ar_input_open(&input, path, &err), MB_OK));
    ar_input_close(input);
    unlink(path);
}

Test(input, a_pipe_is_refused_without_a_wait)
{
    struct mb_error err = {0};
    struct ar_input *input;
    char path[64];

    (void)snprintf(path, sizeof(path), "/tmp/mb-input-%d", (int)getpid());
    cr_assert(eq(int, mkfifo(path, 0600), 0));
    cr_expect(eq(int, ar_input_open(&input, path, &err), MB_IO));
    cr_expect_str_eq(err.reason, "neither a file nor a folder");
    unlink(path);
}

/* Pages of a jar that is stored in a mapped one go, and come back; what was unpacked stays. */
Test(input, dropped_pages_come_back)
{
    static char large[300000];
    static const struct zip_options options = {0};
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_FAST);
    struct mb_buf inner = {0};
    struct mb_buf deflated = {0};
    struct ar_packed packed;
    char path[64];
    struct ar_input *outer;

    for (size_t i = 0; i < sizeof(large); i++) {
        large[i] = (char)(i * 31 >> 3);
    }
    struct mb_text text = {large, sizeof(large)};
    struct zip_entry leaf = {.name = "x",
                             .data = large,
                             .data_size = sizeof(large),
                             .size = sizeof(large),
                             .crc32 = ar_crc32(text)};
    zip_put(&inner, &leaf, 1, &options);
    struct mb_text jar = {(const char *)inner.bytes, inner.size};
    cr_assert(eq(int, ar_pack(codec, jar, &deflated, &packed, NULL), MB_OK));
    struct zip_entry jars[] = {{.name = "s.jar",
                                .data = jar.data,
                                .data_size = jar.size,
                                .size = (uint32_t)jar.size,
                                .crc32 = ar_crc32(jar)},
                               {.name = "d.jar",
                                .data = (const char *)packed.bytes,
                                .data_size = packed.packed_size,
                                .size = (uint32_t)jar.size,
                                .crc32 = ar_crc32(jar),
                                .method = 8}};
    zip_build(jars, 2, &options, path);
    cr_assert(eq(int, ar_input_open(&outer, path, NULL), MB_OK));
    for (size_t i = 0; i < 2; i++) {
        struct ar_input *input;
        struct mb_buf scratch = {0};
        struct mb_text content;
        cr_assert(eq(int, ar_input_open_inner(&input, outer, i, NULL), MB_OK));
        ar_input_drop_pages(input);
        cr_assert(eq(int, ar_entry_read(input, 0, codec, &scratch, &content, NULL), MB_OK));
        cr_expect(mb_text_equal(content, text));
        ar_input_close(input);
        mb_buf_finish(&scratch);
    }
    ar_input_close(outer);
    ar_codec_destroy(codec);
    mb_buf_finish(&inner);
    mb_buf_finish(&deflated);
    unlink(path);
}
