#include "issues/scanner.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static struct mb_buf heard;

static void set_up(void)
{
    mb_buf_reset(&heard);
}

static void tear_down(void)
{
    mb_buf_finish(&heard);
}

TestSuite(scanner, .init = set_up, .fini = tear_down);

static void hear_object(void *context, struct mb_text object, const struct mb_value *value,
                        size_t line)
{
    (void)context;
    (void)value;
    mb_buf_printf(&heard, "%zu:", line);
    mb_buf_put(&heard, object.data, object.size);
    mb_buf_put_u1(&heard, '|');
}

static void hear_cut(void *context, struct mb_text start, size_t line)
{
    (void)context;
    mb_buf_printf(&heard, "%zu~", line);
    mb_buf_put(&heard, start.data, start.size);
    mb_buf_put_u1(&heard, '|');
}

static const struct issues_hearer hearer = {hear_object, hear_cut, NULL};

/* In pieces of that size: what is heard. */
static const char *scan(struct mb_text text, size_t piece_size)
{
    struct issues_scanner scanner = {0};

    mb_buf_reset(&heard);
    for (size_t at = 0; at < text.size; at += piece_size) {
        size_t left = text.size - at;
        issues_scan(&scanner,
                    (struct mb_text){text.data + at, left < piece_size ? left : piece_size}, false,
                    &hearer);
    }
    issues_scan(&scanner, MB_TEXT(""), true, &hearer);
    cr_assert(eq(int, scanner.waiting.failed, false));
    issues_scanner_finish(&scanner);
    mb_buf_put_u1(&heard, '\0');
    return (const char *)heard.bytes;
}

struct scan_case {
    char what[48];
    char text[96];
    char heard[128];
};

static const struct scan_case cases[] = {
    {"nothing", "", ""},
    {"no object", "a log\nof words {}x {1}\n", "2:{}|"},
    {"one", "{\"a\":1}", "1:{\"a\":1}|"},
    {"one a line", "{\"a\":1}\n\n{\"b\":2}\n", "1:{\"a\":1}|3:{\"b\":2}|"},
    {"in a log", "I/x: c[{\"a\":{}}]\r\nW\n", "1:{\"a\":{}}|"},
    {"several in a line", "[{\"a\":1},{\"b\":2}] x {\"c\":3}",
     "1:{\"a\":1}|1:{\"b\":2}|1:{\"c\":3}|"},
    {"over lines", "{\n  \"a\": {\n  }\n}\n{\"b\":1}", "1:{\n  \"a\": {\n  }\n}|5:{\"b\":1}|"},
    {"a list over lines", "[\n  {\n    \"a\": [\n      {\"b\": 1}\n    ]\n  },\n  {\"c\":1}\n]",
     "2:{\n    \"a\": [\n      {\"b\": 1}\n    ]\n  }|7:{\"c\":1}|"},
    {"braces in strings", "{\"a\":\"}{\\\"}\\\\\"}", "1:{\"a\":\"}{\\\"}\\\\\"}|"},
    {"cut by its line", "x {\"a\":\ny {\"b\":1}\n", "1~{\"a\":|2:{\"b\":1}|"},
    {"cut in a string", "{\"a\":\"b\n{\"c\":1}\n", "1~{\"a\":\"b|2:{\"c\":1}|"},
    {"cut by the next", "{\"a\":1,\n{\"c\":1}\n", "1~{\"a\":1,|2:{\"c\":1}|"},
    {"cut by the end", "{\"a\":[1,2", "1~{\"a\":[1,2|"},
    {"a brace before it", "f() {\"x {\"a\":1}\n", "1~{\"x {\"a\":1}|1:{\"a\":1}|"},
    {"a byte order mark", "\xef\xbb\xbf{\n\"a\":1}", "1:{\n\"a\":1}|"},
    {"a brace behind it", "{\n}{x\n", "1:{\n}|"},
    {"an end too much", "}}] {\"a\":1}}", "1:{\"a\":1}|"},
};

EACH_ROW(scanner, finds, cases);

ParameterizedTest(size_t *row, scanner, finds)
{
    const struct scan_case *c = &cases[*row];
    struct mb_text text = mb_text_of(c->text);

    for (size_t piece = 1; piece <= text.size + 1; piece++) {
        cr_assert_str_eq(scan(text, piece), c->heard, "%s, %zu at a time", c->what, piece);
    }
}

/* A million objects in one line, one that never ends, a line of braces: time grows as the text
 * does. */
Test(scanner, takes_long_lines, .timeout = 60)
{
    static const char *const parts[] = {"{\"a\":1},", "{\"a\":", "{\"", "{", "{\n", "{\"a\":1,\n"};
    struct mb_buf text = {0};

    for (size_t i = 0; i < MB_COUNT(parts); i++) {
        mb_buf_reset(&text);
        while (text.size < (size_t)4 << 20) {
            mb_buf_put_string(&text, parts[i]);
        }
        (void)scan((struct mb_text){(const char *)text.bytes, text.size}, 65536);
        if (i == 0) {
            size_t count = 0;
            for (size_t at = 0; at < heard.size; at++) {
                count += heard.bytes[at] == '|';
            }
            cr_expect(eq(sz, count, (text.size + 7) / 8), "none is lost where the line is cut");
        }
    }
    mb_buf_finish(&text);
}
