/* JSON (RFC 8259): writing objects to an mb_buf, key after key; and checking and copying foreign
 * values. */

#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/text.h"

#include <inttypes.h>
#include <stdbool.h>

/* --- writing --- */

struct mb_json {
    struct mb_buf *out;
    bool has_member; /* of the innermost list or object */
};

static inline void mb_json_close(struct mb_json *json, const char *bracket)
{
    mb_buf_put_string(json->out, bracket);
    json->has_member = true;
}

/* Comma, and "key": unless key is NULL, as in lists. */
static inline void mb_json_key(struct mb_json *json, const char *key)
{
    if (json->has_member) {
        mb_buf_put_u1(json->out, ',');
    }
    json->has_member = true;
    if (key != NULL) {
        mb_buf_printf(json->out, "\"%s\":", key);
    }
}

/* A list or an object, by its bracket. */
static inline void mb_json_open(struct mb_json *json, const char *key, const char *bracket)
{
    mb_json_key(json, key);
    mb_buf_put_string(json->out, bracket);
    json->has_member = false;
}

/* The outermost object ends, and its line: another may follow. */
static inline void mb_json_end(struct mb_json *json)
{
    mb_buf_put_string(json->out, "}\n");
    json->has_member = false;
}

/* Put the comma, if needed, and white space before the next key. */
static inline void mb_json_break(struct mb_json *json, const char *space)
{
    mb_buf_put_string(json->out, json->has_member ? "," : "");
    mb_buf_put_string(json->out, space);
    json->has_member = false;
}

static inline void mb_json_number(struct mb_json *json, const char *key, int64_t number)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "%" PRId64, number);
}

static inline void mb_json_count(struct mb_json *json, const char *key, uint64_t count)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "%" PRIu64, count);
}

/* 64 bits, which many readers of JSON numbers do not have. */
static inline void mb_json_word(struct mb_json *json, const char *key, uint64_t word)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "\"%" PRIx64 "\"", word);
}

static inline void mb_json_flag(struct mb_json *json, const char *key, bool flag)
{
    mb_json_key(json, key);
    mb_buf_put_string(json->out, flag ? "true" : "false");
}

static inline void mb_json_text(struct mb_json *json, const char *key, struct mb_text text)
{
    mb_json_key(json, key);
    mb_buf_put_json_string(json->out, text);
}

/* Append the text as a part of a string that is being written: without quotes. */
static inline void mb_json_part(struct mb_json *json, struct mb_text text)
{
    size_t start = json->out->size;

    mb_buf_put_json_string(json->out, text);
    if (!json->out->failed) {
        json->out->size -= 2;
        memmove(json->out->bytes + start, json->out->bytes + start + 1, json->out->size - start);
    }
}

static inline void mb_json_string(struct mb_json *json, const char *key, const char *string)
{
    mb_json_text(json, key, mb_text_of(string));
}

/* --- of others --- */

/* True if the text is one value that every reader accepts: UTF-8, nested at most 64 deep, without
 * the character 0 and lone surrogates, its numbers in the range of 64 bits. */
bool mb_json_is_value(struct mb_text text);

/* Append a checked value on one line. */
void mb_buf_put_json_value(struct mb_buf *buf, struct mb_text value);

#endif
