#include "base/value.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#define MOST_VALUES ((size_t)1 << 20)
#define MOST_DIGITS 18u /* that the lexer adds up */
#define TOO_LARGE "a number that is too large"

struct reading {
    struct mb_reader *to;
    struct mb_text key;               /* of the next value */
    uint32_t open[MB_JSON_DEPTH + 1]; /* lists and objects that have not ended, by number */
    uint32_t depth;
};

static bool refuse(struct mb_reader *reader, const char *wrong)
{
    reader->wrong = wrong;
    return false;
}

static bool take_integer(struct mb_value *value, const struct mb_json_token *token)
{
    bool is_negative = token->text.data[0] == '-';
    uint64_t most = (uint64_t)INT64_MAX + is_negative;
    uint64_t number = token->digits;

    if (token->text.size > MOST_DIGITS &&
        !mb_text_to_number(mb_text_from(token->text, is_negative), most, &number)) {
        return false;
    }
    value->integer = is_negative ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

/* strtod needs a 0 after the number, so the text is copied to the end of texts meanwhile. */
static bool take_real(struct mb_reader *reader, struct mb_value *value, struct mb_text text)
{
    struct mb_buf *texts = &reader->texts;
    size_t start = texts->size;

    mb_buf_put(texts, text.data, text.size);
    mb_buf_put_u1(texts, 0);
    value->real = strtod((const char *)texts->bytes + start, NULL);
    texts->size = start;
    return isfinite(value->real);
}

static struct mb_text unescape(struct mb_reader *reader, const struct mb_json_token *token)
{
    struct mb_buf *texts = &reader->texts;
    size_t start = texts->size;

    if (!token->has_escapes) {
        return token->text;
    }
    mb_buf_put_unescaped(texts, token->text);
    return (struct mb_text){(const char *)texts->bytes + start, texts->size - start};
}

static bool take_scalar(struct mb_reader *reader, struct mb_value *value,
                        const struct mb_json_token *token)
{
    switch (token->kind) {
    case MB_JSON_STRING:
        value->text = unescape(reader, token);
        return true;
    case MB_JSON_INTEGER:
        return take_integer(value, token) || refuse(reader, TOO_LARGE);
    case MB_JSON_REAL:
        return take_real(reader, value, token->text) || refuse(reader, TOO_LARGE);
    default:
        return true;
    }
}

/* A string that is a key waits for its value. */
static bool take_key(struct reading *reading, const struct mb_json_token *token)
{
    reading->key = unescape(reading->to, token);
    return !token->has_zero || refuse(reading->to, "a name with the character 0");
}

static bool add_value(struct reading *reading, const struct mb_json_token *token)
{
    struct mb_reader *reader = reading->to;
    size_t number = MB_VEC_COUNT(&reader->values);
    struct mb_value *value = MB_VEC_ADD(&reader->values);

    if (value == NULL || number == MOST_VALUES) {
        return refuse(reader, "more than a million values");
    }
    *value =
        (struct mb_value){.kind = token->kind, .span = 1, .key = reading->key, .text = token->text};
    reading->key = MB_TEXT("");
    if (reading->depth > 0) {
        reader->values.items[reading->open[reading->depth - 1]].count++;
    }
    if (token->kind == MB_JSON_LIST || token->kind == MB_JSON_OBJECT) {
        reading->open[reading->depth++] = (uint32_t)number;
    }
    return take_scalar(reader, value, token);
}

static bool close_value(struct reading *reading, const struct mb_json_token *token)
{
    size_t number = reading->open[--reading->depth];
    struct mb_value *value = &reading->to->values.items[number];

    value->span = (uint32_t)(MB_VEC_COUNT(&reading->to->values) - number);
    value->text.size = (size_t)(token->text.data + 1 - value->text.data);
    return true;
}

static bool take_token(struct reading *reading, const struct mb_json_token *token)
{
    if (token->is_key) {
        return take_key(reading, token);
    }
    return token->kind == MB_JSON_CLOSE ? close_value(reading, token) : add_value(reading, token);
}

/* Escapes take less room undone, so that texts of this size, and a 0, never move. */
static bool make_room(struct mb_reader *reader, struct mb_text text)
{
    mb_buf_reset(&reader->values.buf);
    mb_buf_reset(&reader->texts);
    return mb_buf_reserve(&reader->texts, text.size + 1);
}

static void note_wrong(struct mb_reader *reader, const struct mb_json_lexer *lexer, size_t offset)
{
    if (reader->wrong == NULL) {
        reader->wrong = lexer->depth == MB_JSON_DEPTH ? "not JSON, or nested too deep" : "not JSON";
    }
    reader->offset = offset;
}

const struct mb_value *mb_reader_read_first(struct mb_reader *reader, struct mb_text text,
                                            size_t *size)
{
    struct mb_json_lexer lexer = mb_json_lexer_of(text);
    struct reading reading = {.to = reader};
    struct mb_json_token token;
    bool is_right = make_room(reader, text);

    reader->wrong = NULL;
    while (is_right) {
        is_right = mb_json_next(&lexer, &token) && take_token(&reading, &token);
        if (is_right && reading.depth == 0) {
            *size = text.size - lexer.rest.size;
            return reader->values.items;
        }
    }
    note_wrong(reader, &lexer, text.size - lexer.rest.size);
    return NULL;
}

const struct mb_value *mb_reader_read(struct mb_reader *reader, struct mb_text text)
{
    size_t size = 0;
    const struct mb_value *value = mb_reader_read_first(reader, text, &size);

    while (value != NULL && size < text.size && mb_json_is_blank(text.data[size])) {
        size++;
    }
    if (value != NULL && size < text.size) {
        reader->wrong = "not JSON";
        reader->offset = size;
        return NULL;
    }
    return value;
}

void mb_reader_finish(struct mb_reader *reader)
{
    mb_buf_finish(&reader->values.buf);
    mb_buf_finish(&reader->texts);
}

/* Names that differ mostly do so in their size, or at their start. */
static bool is_key(struct mb_text key, struct mb_text wanted)
{
    return key.size == wanted.size && (key.size == 0 || key.data[0] == wanted.data[0]) &&
           mb_text_equal(key, wanted);
}

const struct mb_value *mb_value_find(const struct mb_value *value, struct mb_text key)
{
    const struct mb_value *found = NULL;

    if (mb_value_is(value, MB_JSON_OBJECT)) {
        for (MB_EACH_VALUE(member, value)) {
            found = is_key(member->key, key) ? member : found;
        }
    }
    return found;
}

/* White space counts within strings alone. */
static void put_compact(struct mb_buf *buf, struct mb_text text)
{
    bool is_inside = false;

    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (is_inside || !mb_json_is_blank(c)) {
            mb_buf_put_u1(buf, (uint8_t)c);
        }
        if (is_inside && c == '\\') {
            mb_buf_put_u1(buf, (uint8_t)text.data[++i]);
        } else if (c == '"') {
            is_inside = !is_inside;
        }
    }
}

void mb_buf_put_value(struct mb_buf *buf, const struct mb_value *value)
{
    if (value->kind == MB_JSON_STRING) {
        mb_buf_put_json_string(buf, value->text);
    } else {
        put_compact(buf, value->text);
    }
}
