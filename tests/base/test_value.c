#include "base/value.h"

#include "base/arena.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static struct mb_reader reader;

static void finish(void)
{
    mb_alloc_should_fail = NULL;
    mb_reader_finish(&reader);
}

TestSuite(value, .fini = finish);

static const struct mb_value *read_text(const char *text)
{
    return mb_reader_read(&reader, mb_text_of(text));
}

Test(value, members_and_items_are_found)
{
    const struct mb_value *value = read_text(
        "{\"a\": 1, \"list\": [1, [2, 3], {}, \"x\"], \"b\": {\"c\": true}, \"d\": null}");
    const struct mb_value *list = mb_value_get(value, "list");
    const struct mb_value *item = mb_value_first(list);

    cr_assert(value != NULL);
    cr_assert(eq(sz, mb_value_count(value), 4));
    cr_assert(eq(i64, mb_value_integer(mb_value_get(value, "a")), 1));
    cr_assert(mb_value_is(mb_value_get(mb_value_get(value, "b"), "c"), MB_JSON_TRUE));
    cr_assert(mb_value_is(mb_value_get(value, "d"), MB_JSON_NULL));
    cr_assert(eq(sz, mb_value_count(list), 4));
    item = mb_value_next(list, item);
    cr_assert(eq(sz, mb_value_count(item), 2));
    item = mb_value_next(list, mb_value_next(list, item));
    cr_assert(mb_text_is(mb_value_text(item), "x"));
    cr_assert(mb_value_next(list, item) == NULL);
}

Test(value, absent_ones_are_empty)
{
    const struct mb_value *value = read_text("[\"text\", {}, 7]");

    cr_assert(mb_value_get(value, "a") == NULL);
    cr_assert(mb_value_get(NULL, "a") == NULL);
    cr_assert(mb_value_first(mb_value_next(value, mb_value_first(value))) == NULL);
    cr_assert(mb_value_first(NULL) == NULL);
    cr_assert(eq(i64, mb_value_integer(mb_value_first(value)), 0));
    cr_assert(eq(sz, mb_value_text(value).size, 0));
    cr_assert(eq(sz, mb_value_count(mb_value_first(value)), 0));
}

Test(value, the_last_of_two_members_counts)
{
    const struct mb_value *value = read_text("{\"a\":1,\"a\":{\"a\":3},\"b\":{\"a\":2}}");

    cr_assert(eq(i64, mb_value_integer(mb_value_get(mb_value_get(value, "a"), "a")), 3));
}

Test(value, escapes_are_undone)
{
    const struct mb_value *value = read_text(
        "{\"k\\u0065y\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00\\u0000!\"}");
    static const char text[] = "\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\0!";

    cr_assert(mb_text_equal(mb_value_text(mb_value_get(value, "key")),
                            (struct mb_text){text, sizeof(text) - 1}));
}

Test(value, numbers_fit_or_are_refused)
{
    const struct mb_value *value = read_text("[-9223372036854775808, 9223372036854775807, 1.25e2]");
    const struct mb_value *item = mb_value_first(value);

    cr_assert(eq(i64, mb_value_integer(item), INT64_MIN));
    item = mb_value_next(value, item);
    cr_assert(eq(i64, mb_value_integer(item), INT64_MAX));
    item = mb_value_next(value, item);
    cr_assert(eq(dbl, mb_value_number(item), 125.0));
    static const char *const wrong[] = {"9223372036854775808", "-9223372036854775809", "1e309"};
    for (size_t i = 0; i < 3; i++) {
        cr_assert(read_text(wrong[i]) == NULL);
        cr_assert(mb_text_is(mb_text_of(reader.wrong), "a number that is too large"));
    }
}

Test(value, what_is_wrong_is_told)
{
    cr_assert(read_text("{\"a\": tru}") == NULL);
    cr_assert(mb_text_is(mb_text_of(reader.wrong), "not JSON"));
    cr_assert(eq(sz, reader.offset, 6));
    cr_assert(read_text("{\"a\\u0000\": 1}") == NULL);
    cr_assert(read_text("") == NULL);
    cr_assert(read_text("{} {}") == NULL);
    cr_assert(read_text("{}") != NULL);
}

static const struct mb_value *read_many(const char *start, const char *item, const char *end,
                                        size_t count, struct mb_buf *text)
{
    mb_buf_reset(text);
    mb_buf_put_string(text, start);
    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(text, item);
    }
    mb_buf_put_string(text, end);
    return mb_reader_read(&reader, (struct mb_text){(char *)text->bytes, text->size});
}

Test(value, depth_and_number_have_limits)
{
    struct mb_buf text = {0};

    cr_assert(read_many("", "[", "", 100000, &text) == NULL);
    cr_assert(eq(sz, reader.offset, MB_JSON_DEPTH));
    cr_assert(read_many("[", "1,", "1]", 1000000, &text) != NULL);
    cr_assert(read_many("[", "1,", "1]", 2000000, &text) == NULL);
    cr_assert(mb_text_is(mb_text_of(reader.wrong), "more than a million values"));
    cr_assert(not(mb_reader_failed(&reader)));
    mb_buf_finish(&text);
}

static int left;

static int fail_later(void)
{
    return left-- == 0;
}

Test(value, each_allocation_may_fail)
{
    struct mb_buf text = {0};
    int tries = 0;

    cr_assert(read_many("[", "\"\\n\",", "1]", 100, &text) != NULL);
    mb_alloc_should_fail = fail_later;
    for (bool has_failed = true; has_failed; tries++) {
        mb_reader_finish(&reader);
        left = tries;
        has_failed =
            mb_reader_read(&reader, (struct mb_text){(char *)text.bytes, text.size}) == NULL;
        cr_assert(eq(int, mb_reader_failed(&reader), has_failed));
    }
    mb_alloc_should_fail = NULL;
    cr_assert(gt(int, tries, 3));
    mb_buf_finish(&text);
}
