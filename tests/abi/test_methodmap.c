#include "abi/methodmap.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct mb_error err;

static enum mb_status parse(struct abi_methodmap *map, const char *text)
{
    return abi_methodmap_parse(map, mb_text_of(text), "map.txt", &err);
}

Test(methodmap, reads_what_people_do_to_files)
{
    struct abi_methodmap map = {0};

    cr_assert(eq(int,
                 parse(&map, "\xef\xbb\xbf# kept by hand\r\n\r\n"
                             "8,4,a.B onCreate (Landroid.os.Bundle;)V\r\n"
                             "  1,131073,a.B$6 run ()V  \r\n"
                             "3,9,a.B native with spaces\n"
                             "1,131073,a.B$6 run ()V"),
                 MB_OK));
    cr_assert(eq(sz, map.count, 4));
    cr_assert(eq(u32, map.methods[0].id, 1));
    cr_assert(eq(u32, map.methods[0].access, 131073));
    cr_assert(mb_text_is(map.methods[0].class_name, "a.B$6"));
    cr_assert(mb_text_is(abi_methodmap_find(&map, 8)->descriptor, "(Landroid.os.Bundle;)V"));
    cr_assert(mb_text_is(abi_methodmap_find(&map, 3)->name, "native with spaces"));
    cr_assert(eq(sz, abi_methodmap_find(&map, 3)->descriptor.size, 0));
    cr_assert(mb_text_is(abi_methodmap_find(&map, ABI_MESSAGE_ID)->name, "dispatchMessage"));
    cr_assert(eq(ptr, (void *)(uintptr_t)abi_methodmap_find(&map, 2), NULL));
    abi_methodmap_finish(&map);
}

static const struct {
    const char *what;
    const char *text;
    const char *place;
} bad_cases[] = {
    {"no number", "#\nx,1,a b ()V", "map.txt:2"},
    {"id 0", "0,1,a b ()V", "map.txt:1"},
    {"id too large", "1048575,1,a b ()V", "map.txt:1"},
    {"no access", "1,a b ()V", "map.txt:1"},
    {"no class", "1,1, b ()V", "map.txt:1"},
    {"no name", "1,1,a", "map.txt:1"},
    {"no name but a descriptor", "1,1,a ()V", "map.txt:1"},
    {"two methods, one id", "7,1,a b ()V\n2,1,a c ()V\n7,1,a c ()V\n", "map.txt:3"},
    {"the message's id for another", "1048574,1,a b ()V\n1048574,1,a c ()V", "map.txt:2"},
};

Test(methodmap, names_the_line_that_is_wrong)
{
    for (size_t i = 0; i < MB_COUNT(bad_cases); i++) {
        struct abi_methodmap map = {0};
        cr_expect(eq(int, parse(&map, bad_cases[i].text), MB_BAD_TEXT), "%s", bad_cases[i].what);
        cr_expect_str_eq(err.input, bad_cases[i].place, "%s", bad_cases[i].what);
        abi_methodmap_finish(&map);
    }
}

Test(methodmap, writes_lines_that_it_reads)
{
    struct mb_buf out = {0};
    struct abi_methodmap map = {0};
    struct abi_method method = {
        .id = 1048573,
        .access = 9,
        .class_name = MB_TEXT_ROW("a/b/C$D"),
        .name = MB_TEXT_ROW("my \xed\xa0\xbd\xed\xb8\x80 t\nst\xc0\x80\xed\xa0\xbd."),
        .descriptor = MB_TEXT_ROW("([La/\xff\xc3\xa4\xc3;J)V"),
    };

    abi_methodmap_put_line(&out, &method);
    abi_methodmap_put_message(&out);
    mb_buf_put_u1(&out, '\0');
    cr_assert_str_eq((char *)out.bytes,
                     "1048573,9,a.b.C$D my \xf0\x9f\x98\x80 t?st??. ([La.?\xc3\xa4?;J)V\n"
                     "1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n");
    cr_assert(eq(int, parse(&map, (char *)out.bytes), MB_OK));
    cr_assert(eq(sz, map.count, 2));
    cr_assert(mb_text_is(map.methods[0].name, "my \xf0\x9f\x98\x80 t?st??."));
    abi_methodmap_finish(&map);
    mb_buf_finish(&out);
}

/* A class that Kotlin calls `My tests` has spaces, and so have descriptors that name it. */
Test(methodmap, spaces_do_not_end_a_class_name)
{
    static const struct abi_method methods[] = {
        {7, 1, MB_TEXT_ROW("demo/My tests$a b$1"), MB_TEXT_ROW("adds two"),
         MB_TEXT_ROW("(Ldemo/My tests;)I")},
        {8, 257, MB_TEXT_ROW(" a\\s\\\\ "), MB_TEXT_ROW("(all (of it "), {NULL, 0}},
        {9, 1, MB_TEXT_ROW("demo/My"), MB_TEXT_ROW("tests$a b$1 adds \\s two"), MB_TEXT_ROW("()V")},
    };
    struct mb_buf out = {0};
    struct abi_methodmap map = {0};

    for (size_t i = 0; i < MB_COUNT(methods); i++) {
        abi_methodmap_put_line(&out, &methods[i]);
    }
    mb_buf_put_u1(&out, '\0');
    cr_assert_str_eq((char *)out.bytes,
                     "7,1,demo.My\\stests$a\\sb$1 adds two (Ldemo.My\\stests;)I\n"
                     "8,257,\\sa\\\\s\\\\\\\\\\s \\(all\\s(of\\sit\\s\n"
                     "9,1,demo.My tests$a b$1 adds \\s two ()V\n");
    cr_assert(eq(int, parse(&map, (char *)out.bytes), MB_OK));
    cr_assert(eq(sz, map.count, 4));
    cr_expect(mb_text_is(map.methods[0].class_name, "demo.My tests$a b$1"));
    cr_expect(mb_text_is(map.methods[0].name, "adds two"));
    cr_expect(mb_text_is(map.methods[0].descriptor, "(Ldemo.My tests;)I"));
    cr_expect(mb_text_is(map.methods[1].class_name, " a\\s\\\\ "));
    cr_expect(mb_text_is(map.methods[1].name, "(all (of it "));
    cr_expect(eq(sz, map.methods[1].descriptor.size, 0));
    cr_expect(mb_text_is(map.methods[2].class_name, "demo.My"));
    cr_expect(mb_text_is(map.methods[2].name, "tests$a b$1 adds \\s two"));
    abi_methodmap_finish(&map);
    mb_buf_finish(&out);
}

Test(methodmap, a_backslash_before_anything_else_is_one)
{
    struct abi_methodmap map = {0};

    cr_assert(eq(int, parse(&map, "1,1,a\\b.C\\ go (L\\;)V"), MB_OK));
    cr_expect(mb_text_is(map.methods[0].class_name, "a\\b.C\\"));
    cr_expect(mb_text_is(map.methods[0].descriptor, "(L\\;)V"));
    abi_methodmap_finish(&map);
}

/* A class name with this byte at this place is what comes back. */
static void expect_class_back(size_t size, size_t at, unsigned c)
{
    char name[40];
    struct mb_buf out = {0};
    struct abi_methodmap map = {0};
    struct abi_method method = {.id = 1, .class_name = {name, size}, .name = MB_TEXT_ROW("go")};

    memset(name, '0' + (int)(at % 8), sizeof(name));
    name[at] = (char)c;
    abi_methodmap_put_line(&out, &method);
    mb_buf_put_u1(&out, '\0');
    cr_assert(eq(int, parse(&map, (char *)out.bytes), MB_OK));
    name[at] = (char)(c == '/' ? '.' : c);
    cr_assert(mb_text_equal(map.methods[0].class_name, method.class_name), "byte %u at %zu of %zu",
              c, at, size);
    abi_methodmap_finish(&map);
    mb_buf_finish(&out);
}

Test(methodmap, every_byte_of_a_class_name_comes_back)
{
    for (size_t size = 1; size <= 40; size++) {
        for (size_t at = 0; at < size; at++) {
            for (unsigned c = ' '; c < 0x7f; c++) {
                expect_class_back(size, at, c);
            }
        }
    }
}

/* What looks at eight bytes at a time must see each of them, at each place of each size. */
Test(methodmap, every_byte_of_a_name_is_seen)
{
    for (size_t size = 1; size <= 40; size++) {
        for (size_t at = 0; at < size; at++) {
            for (unsigned c = 1; c < 256; c++) {
                char name[40];
                struct mb_buf out = {0};
                memset(name, '0' + (int)(at % 8), sizeof(name));
                name[at] = (char)c;
                struct abi_method method = {.class_name = MB_TEXT_ROW("a/b"),
                                            .name = {name, size},
                                            .descriptor = MB_TEXT_ROW("()V")};
                abi_methodmap_put_name(&out, &method);
                name[at] = c == '/' ? '.' : c < ' ' || c >= 0x80 ? '?' : (char)c;
                cr_assert(eq(sz, out.size, size + 8));
                cr_assert(memcmp(out.bytes, "a.b ", 4) == 0 &&
                              memcmp(out.bytes + 4, name, size) == 0,
                          "byte %u at %zu of %zu", c, at, size);
                mb_buf_finish(&out);
            }
        }
    }
}
