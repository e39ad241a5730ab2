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

void mb_json_close(struct mb_json *json, const char *bracket);

/* Comma, and "key": unless key is NULL, as in lists. */
void mb_json_key(struct mb_json *json, const char *key);

/* A list or an object, by its bracket. */
void mb_json_open(struct mb_json *json, const char *key, const char *bracket);

/* The outermost object ends, and its line: another may follow. */
void mb_json_end(struct mb_json *json);

/* Put the comma, if needed, and white space before the next key. */
void mb_json_break(struct mb_json *json, const char *space);

void mb_json_number(struct mb_json *json, const char *key, int64_t number);
void mb_json_count(struct mb_json *json, const char *key, uint64_t count);

/* 64 bits, which many readers of JSON numbers do not have. */
void mb_json_word(struct mb_json *json, const char *key, uint64_t word);
void mb_json_flag(struct mb_json *json, const char *key, bool flag);
void mb_json_text(struct mb_json *json, const char *key, struct mb_text text);
void mb_json_string(struct mb_json *json, const char *key, const char *string);

/* Append the text as a part of a string that is being written: without quotes. */
void mb_json_part(struct mb_json *json, struct mb_text text);

/* --- of others --- */

/* True if the text is one value that every reader accepts: UTF-8, nested at most 64 deep, without
 * the character 0 and lone surrogates, its numbers in the range of 64 bits. */
bool mb_json_is_value(struct mb_text text);

/* Append a checked value on one line. */
void mb_buf_put_json_value(struct mb_buf *buf, struct mb_text value);

#endif
