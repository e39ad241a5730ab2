/* Whatever a text is, our reader of JSON finds in it what another one does; only limits differ. And
 * what is written again is read as the same. */

#include "fuzz.h"

#include "base/json.h"
#include "base/value.h"

#include <jansson.h>
#include <string.h>

static bool is_text(struct mb_text text, const char *bytes, size_t size)
{
    return mb_text_equal(text, (struct mb_text){bytes, size});
}

static void compare(const struct mb_value *ours, const json_t *theirs);

static void compare_members(const struct mb_value *ours, const json_t *theirs)
{
    const char *key;
    json_t *member;

    for (MB_EACH_VALUE(item, ours)) {
        PROMISE(mb_value_find(ours, item->key) != NULL);
    }
    json_object_foreach((json_t *)(uintptr_t)theirs, key, member)
    {
        compare(mb_value_get(ours, key), member);
    }
}

static void compare_items(const struct mb_value *ours, const json_t *theirs)
{
    size_t count = 0;

    for (MB_EACH_VALUE(item, ours)) {
        compare(item, json_array_get(theirs, count++));
    }
    PROMISE(count == json_array_size(theirs) && count == mb_value_count(ours));
}

static void compare(const struct mb_value *ours, const json_t *theirs)
{
    static const enum mb_json_kind kinds[] = {
        [JSON_OBJECT] = MB_JSON_OBJECT, [JSON_ARRAY] = MB_JSON_LIST,
        [JSON_STRING] = MB_JSON_STRING, [JSON_INTEGER] = MB_JSON_INTEGER,
        [JSON_REAL] = MB_JSON_REAL,     [JSON_TRUE] = MB_JSON_TRUE,
        [JSON_FALSE] = MB_JSON_FALSE,   [JSON_NULL] = MB_JSON_NULL,
    };

    PROMISE(ours != NULL && theirs != NULL && ours->kind == kinds[json_typeof(theirs)]);
    if (json_is_object(theirs)) {
        compare_members(ours, theirs);
    } else if (json_is_array(theirs)) {
        compare_items(ours, theirs);
    } else if (json_is_string(theirs)) {
        PROMISE(is_text(ours->text, json_string_value(theirs), json_string_length(theirs)));
    } else if (json_is_integer(theirs)) {
        PROMISE(ours->integer == json_integer_value(theirs));
    } else if (json_is_real(theirs)) {
        double real = json_real_value(theirs);
        PROMISE(memcmp(&ours->real, &real, sizeof(real)) == 0);
    }
}

static void write_again(const struct mb_value *value, const json_t *theirs)
{
    struct mb_reader reader = {0};
    struct mb_buf out = {0};

    mb_buf_put_value(&out, value);
    const struct mb_value *again =
        mb_reader_read(&reader, (struct mb_text){(const char *)out.bytes, out.size});
    PROMISE(again != NULL && memchr(out.bytes, '\n', out.size) == NULL);
    if (value->kind != MB_JSON_STRING) { /* what is not to be shown gets escapes */
        compare(again, theirs);
    }
    mb_reader_finish(&reader);
    mb_buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mb_text text = {(const char *)bytes, size};
    struct mb_reader reader = {0};
    json_t *theirs = json_loadb(text.data, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    const struct mb_value *ours = mb_reader_read(&reader, text);

    PROMISE(!mb_reader_failed(&reader) && (ours == NULL) == (reader.wrong != NULL));
    if (ours != NULL) {
        compare(ours, theirs);
        write_again(ours, theirs);
    } else {
        /* jansson takes a byte 0 behind a decimal. */
        bool is_limit = strcmp(reader.wrong, "not JSON") != 0 || memchr(bytes, 0, size) != NULL;
        PROMISE(reader.offset <= size && (theirs == NULL || is_limit));
    }
    PROMISE(ours != NULL || !mb_json_is_value(text));
    json_decref(theirs);
    mb_reader_finish(&reader);
    return 0;
}
