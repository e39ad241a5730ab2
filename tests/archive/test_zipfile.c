#include "archive/output.h"
#include "base/file.h"
#include "tests/support/rows.h"
#include "zip_builder.h"
#include "zip_copy.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELLO_CRC 0x3610a686U /* of "hello" */
#define HELLO_ENTRY(entry_name) \
    .name = (entry_name), .data = "hello", .data_size = 5, .size = 5, .crc32 = HELLO_CRC

/* "hello" deflated as one stored block */
#define DEFLATED "\x01\x05\x00\xfa\xffhello"

/* What an archive of one or two entries gives when all its entries are read. */
static const struct zip_case {
    const char *what;
    struct zip_entry entries[2];
    struct zip_options options;
    const char *content; /* NULL: hello */
    const char *reason;  /* part of the error; NULL: it can be read */
} cases[] = {
    {.what = "stored", .entries = {{HELLO_ENTRY("a/B.class")}}},
    {.what = "deflated",
     .entries = {{.name = "a",
                  .data = DEFLATED,
                  .data_size = 10,
                  .size = 5,
                  .crc32 = HELLO_CRC,
                  .method = 8}}},
    {.what = "deflated, empty",
     .entries = {{.name = "a", .data = "\x03\x00", .data_size = 2, .method = 8}},
     .content = ""},
    {.what = "shell stub before it",
     .entries = {{HELLO_ENTRY("a")}, {HELLO_ENTRY("b")}},
     .options = {.prefix = "#!/bin/sh\nexec java -jar \"$0\"\n"}},
    {.what = "shell stub that offsets count in",
     .entries = {{HELLO_ENTRY("a")}, {HELLO_ENTRY("b")}},
     .options = {.prefix = "#!/bin/sh\nexec java -jar \"$0\"\n", .has_shifted_offsets = true}},
    {.what = "garbage behind it",
     .entries = {{HELLO_ENTRY("a")}},
     .options = {.garbage = "garbage"}},
    {.what = "ZIP64", .entries = {{HELLO_ENTRY("a")}}, .options = {.is_zip64 = true}},
    {.what = "data descriptor flag", .entries = {{HELLO_ENTRY("a"), .flags = 8}}},
    {.what = "wrong CRC",
     .entries = {{.name = "a", .data = "hellO", .data_size = 5, .size = 5, .crc32 = HELLO_CRC}},
     .reason = "CRC-32 is"},
    {.what = "damaged deflate data",
     .entries = {{.name = "a",
                  .data = "\x07\x05\x00\xfa\xffhello",
                  .data_size = 10,
                  .size = 5,
                  .crc32 = HELLO_CRC,
                  .method = 8}},
     .reason = "compressed data is damaged"},
    {.what = "deflate data of another size",
     .entries = {{.name = "a",
                  .data = DEFLATED,
                  .data_size = 10,
                  .size = 6,
                  .crc32 = HELLO_CRC,
                  .method = 8}},
     .reason = "compressed data is damaged"},
    {.what = "stored with two sizes",
     .entries = {{.name = "a", .data = "hello", .data_size = 5, .size = 6, .crc32 = HELLO_CRC}},
     .reason = "stored entry with two sizes"},
    {.what = "bomb",
     .entries = {{.name = "a", .data = DEFLATED, .data_size = 10, .size = 20000, .method = 8}},
     .reason = "zip bomb"},
    {.what = "encrypted", .entries = {{HELLO_ENTRY("a"), .flags = 1}}, .reason = "encrypted"},
    {.what = "unknown method",
     .entries = {{HELLO_ENTRY("a"), .method = 12}},
     .reason = "compression method 12"},
    {.what = "local header of another name",
     .entries = {{HELLO_ENTRY("a"), .local_name = "b"}},
     .reason = "local header of another entry"},
    {.what = "two entries for one local header",
     .entries = {{HELLO_ENTRY("a")}, {HELLO_ENTRY("a2"), .offset = 1}},
     .reason = "no local header"},
    {.what = "two entries for one piece of data",
     .entries = {{HELLO_ENTRY("a")}, {HELLO_ENTRY("a"), .shares_data = true}},
     .reason = "entries overlap"},
    {.what = "offset outside",
     .entries = {{HELLO_ENTRY("a"), .offset = 5000}},
     .reason = "passes the end"},
    {.what = "directory larger than the file",
     .entries = {{HELLO_ENTRY("a")}},
     .options = {.directory_size_lie = 100000},
     .reason = "does not fit"},
    {.what = "directory behind its end",
     .entries = {{HELLO_ENTRY("a")}},
     .options = {.directory_offset_lie = 100000},
     .reason = "does not fit"},
    {.what = "fewer entries than told of",
     .entries = {{HELLO_ENTRY("a")}},
     .options = {.count_lie = 9},
     .reason = "does not fit"},
};

EACH_ROW(zip, gives_content_or_reason, cases);

static enum mb_status read_all(const char *path, const char *expected, struct mb_error *err)
{
    struct ar_input *input;
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_FAST);
    struct mb_buf scratch = {0};
    enum mb_status status = ar_input_open(&input, path, err);

    for (size_t i = 0; status == MB_OK && i < ar_input_count(input); i++) {
        struct mb_text content;
        status = ar_entry_read(input, i, codec, &scratch, &content, err);
        if (status == MB_OK) {
            cr_expect(mb_text_is(content, expected));
        }
    }
    ar_input_close(input);
    ar_codec_destroy(codec);
    mb_buf_finish(&scratch);
    return status;
}

ParameterizedTest(size_t *row, zip, gives_content_or_reason)
{
    const struct zip_case *c = &cases[*row];
    char path[64];
    struct mb_error err = {0};

    zip_build(c->entries, c->entries[1].name != NULL ? 2 : 1, &c->options, path);
    enum mb_status status = read_all(path, c->content != NULL ? c->content : "hello", &err);
    cr_expect(eq(int, status, c->reason == NULL ? MB_OK : MB_BAD_ARCHIVE), "%s: %s", c->what,
              err.reason);
    if (c->reason != NULL) {
        cr_expect(strstr(err.reason, c->reason) != NULL, "%s: %s", c->what, err.reason);
        cr_expect(strstr(err.input, path) != NULL, "%s: %s", c->what, err.input);
    }
    unlink(path);
}

Test(zip, cut_off_archives_are_refused_at_every_size)
{
    static const struct zip_entry entries[] = {{HELLO_ENTRY("a")}, {HELLO_ENTRY("b")}};
    static const struct zip_options options = {0};
    char path[64];

    zip_build(entries, 2, &options, path);
    for (off_t size = 175; size-- > 0;) {
        cr_assert(eq(int, truncate(path, size), 0));
        cr_expect(eq(int, read_all(path, "hello", NULL), MB_BAD_ARCHIVE), "%d bytes", (int)size);
    }
    unlink(path);
}

Test(zip, of_duplicates_the_last_content_stands_at_the_first_place)
{
    static const struct zip_entry entries[] = {
        {.name = "x.class", .data = "first", .data_size = 5, .size = 5, .crc32 = 1},
        {HELLO_ENTRY("y.class")},
        {HELLO_ENTRY("x.class")},
        {.name = "d/", .data = ""},
        {.name = "d/", .data = ""},
    };
    static const struct zip_options options = {0};
    char path[64];
    struct ar_input *input;

    zip_build(entries, MB_COUNT(entries), &options, path);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    cr_assert(eq(sz, ar_input_count(input), 3));
    cr_assert(eq(sz, ar_input_duplicate_count(input), 1));
    cr_assert(mb_text_is(ar_input_entry(input, 0)->name, "x.class"));
    cr_assert(eq(u32, ar_input_entry(input, 0)->crc32, HELLO_CRC));
    cr_assert(eq(int, ar_input_entry(input, 2)->kind, AR_ENTRY_DIRECTORY));
    ar_input_close(input);
    unlink(path);
}

/* The count of entries has 16 bits; what is behind them is there all the same. */
Test(zip, all_entries_are_listed_whatever_their_count_says)
{
    static const size_t counts[] = {65534, 65535, 65536, 70001};
    static struct zip_entry entries[70001];
    static char names[70001][8];
    char path[64];
    struct ar_input *input;

    for (size_t i = 0; i < MB_COUNT(entries); i++) {
        (void)snprintf(names[i], sizeof(names[i]), "e%zu", i);
        entries[i] = (struct zip_entry){HELLO_ENTRY(names[i])};
    }
    for (size_t i = 0; i < 2 * MB_COUNT(counts); i++) {
        struct zip_options options = {.is_zip64 = i % 2 == 0};
        zip_build(entries, counts[i / 2], &options, path);
        cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
        cr_expect(eq(sz, ar_input_count(input), counts[i / 2]));
        cr_expect(
            mb_text_is(ar_input_entry(input, counts[i / 2] - 1)->name, names[counts[i / 2] - 1]));
        ar_input_close(input);
        unlink(path);
    }
}

Test(zip, a_count_below_the_truth_hides_nothing)
{
    static const struct zip_entry entries[] = {
        {HELLO_ENTRY("a")}, {HELLO_ENTRY("b")}, {HELLO_ENTRY("c")}};
    static const struct zip_options options = {.count_lie = 1};
    char path[64];
    struct ar_input *input;

    zip_build(entries, 3, &options, path);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    cr_expect(eq(sz, ar_input_count(input), 3));
    ar_input_close(input);
    unlink(path);
}

/* What was stored is deflated then, but damaged as before. */
Test(zip, damaged_data_is_copied_as_damaged)
{
    static const struct zip_entry entries[] = {
        {.name = "a", .data = "hellO", .data_size = 5, .size = 5, .crc32 = HELLO_CRC},
        {.name = "b", .data = DEFLATED, .data_size = 10, .size = 5, .crc32 = 1, .method = 8},
        {HELLO_ENTRY("c")},
    };
    static const struct zip_options options = {0};
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);
    char path[64];
    struct mb_buf written = {0};
    struct mb_buf scratch = {0};
    struct mb_text content;
    struct ar_input *input;

    zip_build(entries, 3, &options, path);
    zip_copy(path, &written);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    for (size_t i = 0; i < 3; i++) {
        struct mb_error err = {0};
        enum mb_status status = ar_entry_read(input, i, codec, &scratch, &content, &err);
        cr_expect(eq(int, status, i < 2 ? MB_BAD_ARCHIVE : MB_OK));
        cr_expect(i == 2 || strstr(err.reason, "CRC-32 is") != NULL, "%s", err.reason);
        cr_expect(eq(u32, ar_input_entry(input, i)->crc32, entries[i].crc32));
        cr_expect(eq(u64, ar_input_entry(input, i)->size, 5));
    }
    ar_input_close(input);
    ar_codec_destroy(codec);
    mb_buf_finish(&scratch);
    mb_buf_finish(&written);
    unlink(path);
}

/* A JVM cannot read it; what to do about it is not up to us. */
Test(zip, an_entry_of_an_unknown_method_is_copied_as_it_is)
{
    static const struct zip_entry entries[] = {
        {.name = "a", .data = "packed", .data_size = 6, .size = 9, .crc32 = 77, .method = 12},
    };
    static const struct zip_options options = {0};
    char path[64];
    struct ar_input *input;
    struct ar_output *output;

    zip_build(entries, 1, &options, path);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    cr_assert(eq(int, ar_output_create(&output, -1, NULL), MB_OK));
    cr_assert(eq(int, ar_output_add_copy(output, input, 0, NULL), MB_OK));
    cr_assert(eq(int, ar_output_finish(output, NULL), MB_OK));
    struct mb_text bytes = ar_output_bytes(output);
    int fd = open(path, O_WRONLY | O_TRUNC);
    cr_assert(eq(int, mb_file_write_all(fd, bytes.data, bytes.size, NULL), MB_OK));
    close(fd);
    ar_output_destroy(output);
    ar_input_close(input);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    const struct ar_entry *entry = ar_input_entry(input, 0);
    cr_expect(eq(u16, entry->method, 12));
    cr_expect(eq(u32, entry->crc32, 77));
    cr_expect(eq(u64, entry->size, 9));
    cr_expect(mb_text_is((struct mb_text){ar_input_bytes(input).data + 31, 6}, "packed"));
    ar_input_close(input);
    unlink(path);
}

/* Large enough to be mapped, so that a write shows. */
Test(zip, a_file_that_is_written_to_is_told_from_one_that_is_replaced)
{
    static const char zeros[100000];
    static const struct zip_entry entries[] = {
        {.name = "a", .data = zeros, .data_size = sizeof(zeros), .size = sizeof(zeros)},
    };
    static const struct zip_options options = {0};
    static const struct timespec times[2] = {{1000, 0}, {1000, 0}};
    char path[64];
    char other[64];
    struct ar_input *input;
    struct mb_error err = {0};

    zip_build(entries, 1, &options, path);
    zip_build(entries, 1, &options, other);
    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    cr_expect(eq(int, ar_input_check_unchanged(input, NULL), MB_OK));
    cr_assert(eq(int, utimensat(AT_FDCWD, path, times, 0), 0));
    cr_expect(eq(int, ar_input_check_unchanged(input, &err), MB_IO));
    cr_expect(strstr(err.input, path) != NULL, "%s", err.input);
    cr_assert(eq(int, rename(other, path), 0));
    cr_expect(eq(int, ar_input_check_unchanged(input, NULL), MB_OK));
    ar_input_close(input);
    unlink(path);
}
