#include "base/json.h"

#include "base/check.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static const struct {
    const char *text;
    bool is_value;
} cases[] = {
    {"{}", true},
    {"[]", true},
    {" [ ] ", true},
    {"{\"a\":1}", true},
    {"{ \"a\" : [ 1 , { } , \"\" ] , \"a\" : null }", true},
    {"[true,false,null]", true},
    {"\"text\"", true},
    {"0", true},
    {"-0", true},
    {"-12.50e-7", true},
    {"1E+200", true},
    {"999999999999999999", true},
    {"[1,\n\t2]\r\n", true},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", true},
    {"\"\xc3\xa9\xf0\x9f\x98\x80\"", true},
    {"", false},
    {" ", false},
    {"{", false},
    {"}", false},
    {"[1,]", false},
    {"[,1]", false},
    {"[1 2]", false},
    {"[1}", false},
    {"{]", false},
    {"{\"a\"}", false},
    {"{\"a\":}", false},
    {"{\"a\":1,}", false},
    {"{a:1}", false},
    {"{1:1}", false},
    {"1 2", false},
    {"{}}", false},
    {"truex", false},
    {"True", false},
    {"nul", false},
    {"01", false},
    {"-", false},
    {"+1", false},
    {".5", false},
    {"1.", false},
    {"1e", false},
    {"1e201", false},
    {"1000000000000000000", false},
    {"\"", false},
    {"\"\\", false},
    {"\"\\\"", false},
    {"\"\\x\"", false},
    {"\"\\u12g4\"", false},
    {"\"\\u123\"", false},
    {"\"\\u0000\"", false},
    {"\"\\ud800\"", false},
    {"\"\\ud800\\u0041\"", false},
    {"\"\\udc00\"", false},
    {"\"a\nb\"", false},
    {"\"\x7f\xff\"", false},
    {"\"\xed\xa0\x80\"", false},
    {"'a'", false},
    {"// a\n1", false},
    {"\xef\xbb\xbf{}", false},
};

EACH_ROW(json, is_told_from_what_is_none, cases);

/* Bytes on the heap, so that a step behind them is seen. */
ParameterizedTest(size_t *row, json, is_told_from_what_is_none)
{
    size_t size = strlen(cases[*row].text);
    char *bytes = malloc(size > 0 ? size : 1);

    memcpy(bytes, cases[*row].text, size);
    cr_expect(eq(int, mb_json_is_value((struct mb_text){bytes, size}), cases[*row].is_value), "%s",
              cases[*row].text);
    free(bytes);
}

static bool is_nested(size_t depth)
{
    char text[256];

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return mb_json_is_value((struct mb_text){text, 2 * depth});
}

Test(json, is_nested_only_so_deep)
{
    cr_assert(is_nested(64));
    cr_assert(not(is_nested(65)));
}

Test(json, has_no_character_0)
{
    cr_assert(not(mb_json_is_value((struct mb_text){"\"a\0b\"", 5})));
    cr_assert(not(mb_json_is_value((struct mb_text){"\0", 1})));
}

Test(json, is_put_on_one_line)
{
    struct mb_buf out = {0};

    mb_buf_put_json_value(&out, MB_TEXT("{\r\n\t\"a\": \"\\n\"\n}"));
    mb_buf_put_u1(&out, '\0');
    cr_assert_str_eq((const char *)out.bytes, "{   \"a\": \"\\n\" }");
    mb_buf_finish(&out);
}
