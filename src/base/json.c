#include "base/json.h"

#include "base/lexer.h"

#define MOST_DIGITS 18u    /* of an integer */
#define MOST_EXPONENT 200u /* with MOST_DIGITS before the point that is a double */

/* ---- Writing ---- */

void mb_json_close(struct mb_json *json, const char *bracket)
{
    mb_buf_put_string(json->out, bracket);
    json->has_member = true;
}

void mb_json_key(struct mb_json *json, const char *key)
{
    size_t size = key != NULL ? strlen(key) : 0;
    uint8_t *place =
        mb_buf_extend(json->out, (size_t)json->has_member + (key != NULL ? size + 3 : 0));

    if (place != NULL && json->has_member) {
        *place++ = ',';
    }
    if (place != NULL && key != NULL) {
        *place++ = '"';
        memcpy(place, key, size);
        memcpy(place + size, "\":", 2);
    }
    json->has_member = true;
}

void mb_json_open(struct mb_json *json, const char *key, const char *bracket)
{
    mb_json_key(json, key);
    mb_buf_put_string(json->out, bracket);
    json->has_member = false;
}

void mb_json_end(struct mb_json *json)
{
    mb_buf_put(json->out, "}\n", 2);
    json->has_member = false;
}

void mb_json_break(struct mb_json *json, const char *space)
{
    mb_buf_put_string(json->out, json->has_member ? "," : "");
    mb_buf_put_string(json->out, space);
    json->has_member = false;
}

void mb_json_number(struct mb_json *json, const char *key, int64_t number)
{
    mb_json_key(json, key);
    mb_buf_put_decimal(json->out, number);
}

void mb_json_count(struct mb_json *json, const char *key, uint64_t count)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "%" PRIu64, count);
}

void mb_json_word(struct mb_json *json, const char *key, uint64_t word)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "\"%" PRIx64 "\"", word);
}

void mb_json_flag(struct mb_json *json, const char *key, bool flag)
{
    mb_json_key(json, key);
    mb_buf_put_string(json->out, flag ? "true" : "false");
}

void mb_json_text(struct mb_json *json, const char *key, struct mb_text text)
{
    mb_json_key(json, key);
    mb_buf_put_json_string(json->out, text);
}

void mb_json_part(struct mb_json *json, struct mb_text text)
{
    size_t start = json->out->size;

    mb_buf_put_json_string(json->out, text);
    if (!json->out->failed) {
        json->out->size -= 2;
        memmove(json->out->bytes + start, json->out->bytes + start + 1, json->out->size - start);
    }
}

void mb_json_string(struct mb_json *json, const char *key, const char *string)
{
    mb_json_text(json, key, mb_text_of(string));
}

/* ---- Of others ---- */

static size_t find_either(struct mb_text text, char a, char b)
{
    size_t at = 0;

    while (at < text.size && text.data[at] != a && text.data[at] != b) {
        at++;
    }
    return at;
}

/* In the range that every reader has. */
MB_COLD static bool is_common(struct mb_text number)
{
    size_t end = find_either(number, 'e', 'E');
    struct mb_text exponent = mb_text_from(number, end);
    uint64_t power = 0;

    number.size = end;
    number = mb_text_from(number, number.data[0] == '-');
    if (exponent.size > 0) {
        bool is_signed = !mb_is_digit(exponent.data[1]);
        if (!mb_text_to_number(mb_text_from(exponent, 1U + is_signed), MOST_EXPONENT, &power)) {
            return false;
        }
    }
    return mb_text_split(&number, '.').size <= MOST_DIGITS;
}

bool mb_json_is_value(struct mb_text text)
{
    struct mb_json_lexer lexer = mb_json_lexer_of(text);
    struct mb_json_token token;

    while (mb_json_next(&lexer, &token)) {
        bool is_number = token.kind == MB_JSON_INTEGER || token.kind == MB_JSON_REAL;
        if (token.kind == MB_JSON_END) {
            return true;
        }
        if (token.has_zero || (is_number && !is_common(token.text))) {
            return false;
        }
    }
    return false;
}

/* A string holds neither line ends nor tabs. */
void mb_buf_put_json_value(struct mb_buf *buf, struct mb_text value)
{
    for (size_t i = 0; i < value.size; i++) {
        char c = value.data[i];
        mb_buf_put_u1(buf, (uint8_t)(c == '\n' || c == '\r' || c == '\t' ? ' ' : c));
    }
}
