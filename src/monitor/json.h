/* Inside src/monitor: JSON objects by way of mb_buf, key after key. */

#ifndef MONITOR_JSON_H
#define MONITOR_JSON_H

#include "base/text.h"

#include <inttypes.h>
#include <stdbool.h>

struct mon_json {
    struct mb_buf *out;
    bool has_member; /* of the innermost list or object */
};

static inline void mon_json_open(struct mon_json *json, const char *bracket)
{
    mb_buf_put_string(json->out, bracket);
    json->has_member = false;
}

static inline void mon_json_close(struct mon_json *json, const char *bracket)
{
    mb_buf_put_string(json->out, bracket);
    json->has_member = true;
}

/* Comma, and "key": unless key is NULL, as in lists. */
static inline void mon_json_key(struct mon_json *json, const char *key)
{
    if (json->has_member) {
        mb_buf_put_u1(json->out, ',');
    }
    json->has_member = true;
    if (key != NULL) {
        mb_buf_printf(json->out, "\"%s\":", key);
    }
}

static inline void mon_json_number(struct mon_json *json, const char *key, int64_t number)
{
    mon_json_key(json, key);
    mb_buf_printf(json->out, "%" PRId64, number);
}

/* 64 bits, which many readers of JSON numbers do not have. */
static inline void mon_json_word(struct mon_json *json, const char *key, uint64_t word)
{
    mon_json_key(json, key);
    mb_buf_printf(json->out, "\"%" PRIx64 "\"", word);
}

static inline void mon_json_flag(struct mon_json *json, const char *key, bool flag)
{
    mon_json_key(json, key);
    mb_buf_put_string(json->out, flag ? "true" : "false");
}

static inline void mon_json_text(struct mon_json *json, const char *key, struct mb_text text)
{
    mon_json_key(json, key);
    mb_buf_put_json_string(json->out, text);
}

/* Append the text as a part of a string that is being written: without quotes. */
static inline void mon_json_part(struct mon_json *json, struct mb_text text)
{
    size_t start = json->out->size;

    mb_buf_put_json_string(json->out, text);
    if (!json->out->failed) {
        json->out->size -= 2;
        memmove(json->out->bytes + start, json->out->bytes + start + 1, json->out->size - start);
    }
}

static inline void mon_json_string(struct mon_json *json, const char *key, const char *string)
{
    mon_json_text(json, key, mb_text_of(string));
}

#endif
