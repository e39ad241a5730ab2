#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(text, lines_end_in_any_way)
{
    struct mb_text rest = MB_TEXT("\xef\xbb\xbfone\r\n\ntwo\rthree");
    static const char *const expected[] = {"one", "", "two", "three"};
    struct mb_text line;
    size_t number = 0;

    while (mb_text_next_line(&rest, &line, &number)) {
        cr_assert(mb_text_is(line, expected[number - 1]));
    }
    cr_assert(eq(sz, number, 4));
}

Test(text, splits_trims_and_compares)
{
    struct mb_text rest = MB_TEXT("a b,c");

    cr_assert(mb_text_is(mb_text_split(&rest, ','), "a b"));
    cr_assert(mb_text_is(mb_text_split(&rest, ','), "c"));
    cr_assert(eq(sz, rest.size, 0));
    rest = (struct mb_text){NULL, 0};
    cr_assert(eq(sz, mb_text_split(&rest, ',').size, 0));
    cr_assert(mb_text_is(mb_text_trim(mb_text_of(" \t x y\v ")), "x y"));
    cr_assert(mb_text_is(mb_text_trim(mb_text_of("  ")), ""));
    cr_assert(lt(int, mb_text_compare(MB_TEXT("a"), MB_TEXT("ab")), 0));
    cr_assert(gt(int, mb_text_compare(MB_TEXT("\xc3"), MB_TEXT("ab")), 0));
    cr_assert(eq(int, mb_text_compare(MB_TEXT(""), MB_TEXT("")), 0));
    cr_assert(mb_text_starts(MB_TEXT("abc"), MB_TEXT("ab")));
    cr_assert(mb_text_ends(MB_TEXT("abc"), MB_TEXT("bc")));
    cr_assert(not(mb_text_ends(MB_TEXT("c"), MB_TEXT("bc"))));
    cr_assert(mb_text_contains(MB_TEXT("abcd"), MB_TEXT("bc")));
    cr_assert(mb_text_contains(MB_TEXT("abcd"), MB_TEXT("cd")));
    cr_assert(not(mb_text_contains(MB_TEXT("abcd"), MB_TEXT("de"))));
    cr_assert(not(mb_text_contains(MB_TEXT("b"), MB_TEXT("bc"))));
}

Test(text, numbers_are_whole_and_bounded)
{
    uint64_t n = 0;

    cr_assert(mb_text_to_number(MB_TEXT("1048574"), 1048574, &n));
    cr_assert(eq(u64, n, 1048574));
    cr_assert(not(mb_text_to_number(MB_TEXT("1048575"), 1048574, &n)));
    cr_assert(not(mb_text_to_number(MB_TEXT("7"), 5, &n)));
    cr_assert(not(mb_text_to_number(MB_TEXT(""), 9, &n)));
    cr_assert(not(mb_text_to_number(MB_TEXT("-1"), 9, &n)));
    cr_assert(mb_text_to_number(MB_TEXT("18446744073709551615"), UINT64_MAX, &n));
    cr_assert(not(mb_text_to_number(MB_TEXT("18446744073709551616"), UINT64_MAX, &n)));
}

/* Eight bytes are looked at at once: each byte at each place of them, and with others behind. */
Test(text, plain_ends_at_the_first_byte_that_is_not)
{
    for (unsigned c = 0; c < 256; c++) {
        bool is_plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        for (size_t at = 0; at < 18; at++) {
            char bytes[] = "abcdefgh~ !#[]^_yz";
            bytes[at] = (char)c;
            size_t end = is_plain ? 18 : at;
            cr_assert(eq(sz, mb_text_plain((struct mb_text){bytes, 18}), end), "%u %zu", c, at);
            bytes[17] = '"';
            end = end < 17 ? end : 17;
            cr_assert(eq(sz, mb_text_plain((struct mb_text){bytes, 18}), end), "%u %zu", c, at);
        }
    }
}

Test(text, json_strings_are_always_valid)
{
    struct mb_buf buf = {0};

    mb_buf_put_json_string(&buf,
                           MB_TEXT("a\"\\\n\x01\xc3\xa9\xff\xed\xa0\x80\xf0\x9f\x98\x80\xc3"));
    mb_buf_put_u1(&buf, 0);
    cr_assert_str_eq((char *)buf.bytes,
                     "\"a\\\"\\\\\\n\\u0001\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                     "\xf0\x9f\x98\x80\xef\xbf\xbd\"");
    mb_buf_finish(&buf);
}

static const struct {
    struct mb_text text;
    const char *printed;
    const char *json;
} printables[] = {
    {MB_TEXT_ROW("a/B \xc3\xa9\xf0\x9f\x98\x80"), "a/B \xc3\xa9\xf0\x9f\x98\x80",
     "\"a/B \xc3\xa9\xf0\x9f\x98\x80\""},
    {MB_TEXT_ROW(""), "", "\"\""},
    {MB_TEXT_ROW("\x1b[2J\n\t"), "\\x1b[2J\\x0a\\x09", "\"\\u001b[2J\\n\\t\""},
    {MB_TEXT_ROW("a\0b\x7f"), "a\\x00b\\x7f", "\"a\\u0000b\\u007f\""},
    {MB_TEXT_ROW("\xc2\x9b"
                 "1m\xc2\xa0"),
     "\\xc2\\x9b"
     "1m\xc2\xa0",
     "\"\\u009b1m\xc2\xa0\""},
    {MB_TEXT_ROW("\x9b"
                 "1m"),
     "\\x9b"
     "1m",
     "\"\xef\xbf\xbd"
     "1m\""},
    {MB_TEXT_ROW("\xe2\x80\xae"
                 "x"),
     "\\xe2\\x80\\xaex", "\"\\u202ex\""},
    {MB_TEXT_ROW("\xe2\x80\xa8\xe2\x81\xa6\xd8\x9c"), "\\xe2\\x80\\xa8\\xe2\\x81\\xa6\\xd8\\x9c",
     "\"\\u2028\\u2066\\u061c\""},
    {MB_TEXT_ROW("\xed\xa0\x80\xc3"), "\\xed\\xa0\\x80\\xc3",
     "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
};

Test(text, what_people_see_holds_no_control_character)
{
    struct mb_buf buf = {0};

    for (size_t i = 0; i < MB_COUNT(printables); i++) {
        mb_buf_reset(&buf);
        mb_buf_put_printable(&buf, printables[i].text);
        mb_buf_put_u1(&buf, 0);
        cr_expect_str_eq((char *)buf.bytes, printables[i].printed);
        cr_expect(eq(sz, mb_text_printable(mb_text_of(printables[i].printed)), buf.size - 1));
        mb_buf_reset(&buf);
        mb_buf_put_json_string(&buf, printables[i].text);
        mb_buf_put_u1(&buf, 0);
        cr_expect_str_eq((char *)buf.bytes, printables[i].json);
    }
    mb_buf_finish(&buf);
}

Test(text, every_byte_and_the_size_tell_in_hash_and_checksum)
{
    char bytes[200] = {0};

    for (size_t size = 0; size < sizeof(bytes); size++) {
        struct mb_text text = {bytes, size};
        struct mb_text longer = {bytes, size + 1};
        uint64_t hash = mb_text_hash(text);
        uint64_t checksum = mb_text_checksum(text);
        cr_expect(ne(u64, mb_text_hash(longer), hash), "%zu bytes", size);
        cr_expect(ne(u64, mb_text_checksum(longer), checksum), "%zu bytes", size);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (char)0x80;
            cr_expect(ne(u64, mb_text_hash(text), hash), "byte %zu of %zu", i, size);
            cr_expect(ne(u64, mb_text_checksum(text), checksum), "byte %zu of %zu", i, size);
            bytes[i] = 0;
        }
        cr_expect(eq(u64, mb_text_checksum(text), checksum));
    }
}

/* Odd bytes at each place of two words. */
Test(text, plain_ends_at_what_json_escapes)
{
    for (int c = 0; c < 256; c++) {
        for (size_t at = 0; at < 16; at++) {
            char bytes[] = "0123456789abcdef";
            bytes[at] = (char)c;
            bool is_plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
            cr_assert(eq(sz, mb_text_plain((struct mb_text){bytes, 16}), is_plain ? 16 : at));
        }
    }
}

Test(text, dots_become_slashes_within_the_size)
{
    char name[] = "a.b.C$d.e";

    mb_make_internal_form(name, sizeof("a.b.C$d") - 1);
    cr_expect_str_eq(name, "a/b/C$d.e");
}

Test(text, numbers_of_system_files_are_found_by_the_start_of_a_line)
{
    static const char text[] = "VmPeak:\t 10 kB\nnr_periods 7\nother nr_bursts 3";
    uint64_t number = 1;

    cr_expect(mb_text_find_number(text, "VmPeak:", &number) && number == 10);
    cr_expect(mb_text_find_number(text, "nr_periods ", &number) && number == 7);
    cr_expect(not(mb_text_find_number(text, "nr_bursts ", &number)));
    cr_expect(not(mb_text_find_number("", "nr_periods ", &number)));
    cr_expect(eq(u64, number, 7));
}

struct like_case {
    const char *text;
    const char *patterns;
    bool is;
};

Test(text, is_like_patterns)
{
    static const struct like_case cases[] = {
        {"a.B.get", "a.B.get", true},
        {"a.B.gets", "a.B.get", false},
        {"a.B.get", "a.B.get*", true},
        {"a.B.getAll", "*.get*", true},
        {"a.B.getAll", "*All*All", false},
        {"a.aab", "*aab", true},
        {"a.B.c", "x:a.*:y", true},
        {"a.B.c", "x:y", false},
        {"a", "", false},
        {"", "*", true},
    };

    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        bool is = mb_text_like(mb_text_of(cases[i].text), mb_text_of(cases[i].patterns));
        cr_expect(eq(int, is, cases[i].is), "%s %s", cases[i].text, cases[i].patterns);
    }
}
