#include "archive/output.h"
#include "base/file.h"
#include "zip_builder.h"
#include "zip_copy.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct content {
    struct ar_codec *codec;
    struct mb_buf packed;
    char text[100];
};

static enum mb_status produce(void *context, struct ar_packed *packed, struct mb_error *err)
{
    struct content *content = context;

    return ar_pack(content->codec, mb_text_of(content->text), &content->packed, packed, err);
}

static enum mb_status refuse(void *context, struct ar_packed *packed, struct mb_error *err)
{
    (void)context;
    (void)packed;
    return mb_fail(err, MB_BAD_CLASS, 7, "cannot be made");
}

static void write_jar(const char *path, struct content *contents, size_t count, bool is_stored)
{
    int fd = open(path, O_RDWR | O_TRUNC);
    struct ar_output *output;

    cr_assert(eq(int, ar_output_create(&output, fd, NULL), MB_OK));
    for (size_t i = 0; i < count; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "e%zu", i);
        struct ar_entry entry = ar_entry_new(mb_text_of(name));
        struct ar_source source = {produce, &contents[i], is_stored};
        cr_assert(eq(int, ar_output_add(output, &entry, &source, NULL), MB_OK));
    }
    cr_assert(eq(int, ar_output_finish(output, NULL), MB_OK));
    ar_output_destroy(output);
    close(fd);
}

static void round_trip(enum ar_compression compression, size_t count)
{
    char path[] = "/tmp/mb-jar-XXXXXX";
    struct content *contents = calloc(count + 1, sizeof(*contents));
    struct ar_codec *codec = ar_codec_create(compression);
    struct mb_buf scratch = {0};
    struct ar_input *input;
    struct mb_text text;

    close(mkstemp(path));
    for (size_t i = 0; i < count; i++) {
        contents[i].codec = codec;
        (void)snprintf(contents[i].text, sizeof(contents[i].text), "content %zu%*s", i,
                       (int)(i % 70), "");
    }
    write_jar(path, contents, count, compression == AR_COMPRESSION_STORE);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    cr_assert(eq(sz, ar_input_count(input), count));
    for (size_t i = 0; i < count; i++) {
        cr_assert(eq(int, ar_entry_read(input, i, codec, &scratch, &text, NULL), MB_OK));
        cr_assert(mb_text_is(text, contents[i].text));
        cr_assert(eq(int, ar_input_entry(input, i)->dos_date, 0x21));
        mb_buf_finish(&contents[i].packed);
    }
    ar_input_close(input);
    ar_codec_destroy(codec);
    mb_buf_finish(&scratch);
    free(contents);
    unlink(path);
}

Test(output, what_is_written_is_read)
{
    setenv("TZ", "UTC0", 1);
    round_trip(AR_COMPRESSION_FAST, 1000);
    round_trip(AR_COMPRESSION_STORE, 1000);
    round_trip(AR_COMPRESSION_BEST, 3);
}

/* Times that a zip cannot hold become the first it can; the others stay, also next to each
 * other. */
Test(output, times_come_back)
{
    static const struct {
        uint16_t date, time, date_back;
    } rows[] = {
        {0x21, 0, 0x21},     {0, 0x1234, 0x21},        {0x5b75, 0xbf7d, 0x5b75},
        {0x5b75, 0, 0x5b75}, {0x5b75, 0xbf7d, 0x5b75}, {0x58c0 | 28, 0x6000, 0x58c0 | 28},
    };
    char path[] = "/tmp/mb-jar-XXXXXX";
    struct content content = {.codec = ar_codec_create(AR_COMPRESSION_FAST)};
    int fd = mkstemp(path);
    struct ar_output *output;
    struct ar_input *input;

    cr_assert(eq(int, ar_output_create(&output, fd, NULL), MB_OK));
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        char name[] = {(char)('a' + (int)i)};
        struct ar_entry entry = ar_entry_new((struct mb_text){name, 1});
        struct ar_source source = {produce, &content, false};
        entry.dos_date = rows[i].date;
        entry.dos_time = rows[i].time;
        cr_assert(eq(int, ar_output_add(output, &entry, &source, NULL), MB_OK));
    }
    cr_assert(eq(int, ar_output_finish(output, NULL), MB_OK));
    ar_output_destroy(output);
    close(fd);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        cr_expect(eq(u16, ar_input_entry(input, i)->dos_date, rows[i].date_back), "row %zu", i);
        cr_expect(eq(u16, ar_input_entry(input, i)->dos_time, rows[i].time), "row %zu", i);
    }
    ar_input_close(input);
    ar_codec_destroy(content.codec);
    mb_buf_finish(&content.packed);
    unlink(path);
}

Test(output, an_empty_one_is_still_a_zip_file)
{
    round_trip(AR_COMPRESSION_FAST, 0);
}

Test(output, more_entries_than_two_bytes_count)
{
    setenv("TZ", "UTC0", 1);
    round_trip(AR_COMPRESSION_STORE, 66000);
}

Test(output, the_reason_of_a_source_comes_through)
{
    struct ar_output *output;
    struct mb_error err = {0};
    struct ar_entry entry = ar_entry_new(MB_TEXT("x"));
    struct ar_source source = {.produce = refuse};

    cr_assert(eq(int, ar_output_create(&output, -1, NULL), MB_OK));
    cr_assert(eq(int, ar_output_add(output, &entry, &source, NULL), MB_OK));
    cr_assert(eq(int, ar_output_finish(output, &err), MB_BAD_CLASS));
    cr_assert_str_eq(err.reason, "cannot be made");
    ar_output_destroy(output);
}

Test(output, a_full_disk_is_an_error)
{
    int fd = open("/dev/full", O_RDWR);
    struct content content = {.codec = ar_codec_create(AR_COMPRESSION_FAST), .text = "x"};
    struct ar_output *output;
    struct mb_error err = {0};
    struct ar_entry entry = ar_entry_new(MB_TEXT("x"));
    struct ar_source source = {produce, &content, false};

    cr_assert(eq(int, ar_output_create(&output, fd, NULL), MB_OK));
    cr_assert(eq(int, ar_output_add(output, &entry, &source, NULL), MB_OK));
    cr_assert(eq(int, ar_output_finish(output, &err), MB_IO));
    cr_assert(strstr(err.reason, "No space left") != NULL, "%s", err.reason);
    ar_output_destroy(output);
    ar_codec_destroy(content.codec);
    mb_buf_finish(&content.packed);
    close(fd);
}

struct large {
    struct ar_codec *codec;
    uint8_t *bytes;
    size_t size;
};

static enum mb_status produce_large(void *context, struct ar_packed *packed, struct mb_error *err)
{
    const struct large *large = context;
    struct mb_text text = {(const char *)large->bytes, large->size};
    struct mb_buf none = {0};

    return ar_pack(large->codec, text, &none, packed, err); /* stored: packed views the bytes */
}

/* The local header is patched when its entry has long left the buffer. */
Test(output, entries_larger_than_the_buffer)
{
    char path[] = "/tmp/mb-jar-XXXXXX";
    int fd = mkstemp(path);
    struct large large = {ar_codec_create(AR_COMPRESSION_STORE), calloc(1, 3 << 20), 3 << 20};
    struct ar_output *output;
    struct ar_input *input;
    struct mb_buf scratch = {0};
    struct mb_text text;

    memset(large.bytes, 'x', large.size);
    cr_assert(eq(int, ar_output_create(&output, fd, NULL), MB_OK));
    for (size_t i = 0; i < 3; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        struct ar_entry entry = ar_entry_new(mb_text_of(name));
        struct ar_source source = {produce_large, &large, true};
        cr_assert(eq(int, ar_output_add(output, &entry, &source, NULL), MB_OK));
    }
    cr_assert(eq(int, ar_output_finish(output, NULL), MB_OK));
    ar_output_destroy(output);
    close(fd);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    for (size_t i = 0; i < 3; i++) {
        cr_assert(eq(int, ar_entry_read(input, i, large.codec, &scratch, &text, NULL), MB_OK));
        cr_assert(eq(sz, text.size, large.size));
        cr_assert(eq(u8, (uint8_t)text.data[large.size - 1], 'x'));
    }
    ar_input_close(input);
    mb_buf_finish(&scratch);
    ar_codec_destroy(large.codec);
    free(large.bytes);
    unlink(path);
}

/* Whether offsets in the input count the prefix or not. Twice, since the output is an input too. */
Test(output, what_stands_around_the_entries_stays)
{
    static const char script[] = "#!/bin/sh\nexec java -jar \"$0\"\n";
    static const struct zip_entry entries[] = {
        {.name = "a", .data = "x", .data_size = 1, .size = 1, .crc32 = 0x8cdc1683},
        {.name = "b", .data = "x", .data_size = 1, .size = 1, .crc32 = 0x8cdc1683},
    };

    for (size_t i = 0; i < 2; i++) {
        struct zip_options options = {
            .prefix = script, .comment = "a \x01 comment", .has_shifted_offsets = i == 1};
        char path[64];
        struct mb_buf first = {0};
        struct mb_buf second = {0};

        zip_build(entries, 2, &options, path);
        zip_copy(path, &first);
        zip_copy(path, &second);
        struct mb_text text = {(const char *)second.bytes, second.size};
        cr_expect(mb_text_starts(text, MB_TEXT(script)));
        cr_expect(mb_text_ends(text, MB_TEXT("\x0b\x00"
                                             "a \x01 comment")));
        cr_expect(mb_text_equal(text, (struct mb_text){(const char *)first.bytes, first.size}));
        unlink(path);
        mb_buf_finish(&first);
        mb_buf_finish(&second);
    }
}

/* Deleted entries leave what looks like a prefix; a reader of streams would take it for entries. */
Test(output, a_deleted_entry_is_no_prefix)
{
    static const struct zip_entry entries[] = {
        {.name = "b", .data = "x", .data_size = 1, .size = 1, .crc32 = 0x8cdc1683},
    };
    static const struct zip_options options = {.prefix = "PK\3\4 was an entry"};
    char path[64];
    struct mb_buf written = {0};

    zip_build(entries, 1, &options, path);
    zip_copy(path, &written);
    cr_expect_arr_eq(written.bytes + 30, "bx", 2);
    unlink(path);
    mb_buf_finish(&written);
}

Test(output, an_archive_of_a_comment_alone)
{
    static const struct zip_options options = {.prefix = "#!\n", .comment = "empty"};
    char path[64];
    struct mb_buf written = {0};

    zip_build(NULL, 0, &options, path);
    zip_copy(path, &written);
    cr_expect(eq(sz, written.size, 3 + 22 + 5));
    cr_expect_arr_eq(written.bytes, "#!\nPK\5\6", 7);
    unlink(path);
    mb_buf_finish(&written);
}
