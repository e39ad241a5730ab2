/* JSON (RFC 8259) token by token, without memory of its own: what says whether a text is JSON, for
 * all that read any. */

#ifndef BASE_LEXER_H
#define BASE_LEXER_H

#include "base/text.h"

#define MB_JSON_DEPTH 64u /* more levels are refused */

enum mb_json_kind {
    MB_JSON_NULL,
    MB_JSON_FALSE,
    MB_JSON_TRUE,
    MB_JSON_INTEGER, /* without point and exponent, of any size */
    MB_JSON_REAL,
    MB_JSON_STRING,
    MB_JSON_LIST,   /* begins */
    MB_JSON_OBJECT, /* begins */
    MB_JSON_CLOSE,  /* the innermost of these ends */
    MB_JSON_END,    /* of the one value and of the text */
};

enum mb_json_place {
    MB_JSON_BEFORE_VALUE,
    MB_JSON_BEHIND_OPEN, /* of a list or object */
    MB_JSON_BEHIND_VALUE,
};

struct mb_json_lexer {
    struct mb_text rest;
    enum mb_json_place place;
    uint32_t depth;
    uint64_t objects; /* a bit for each depth; the others are lists */
};

/* text: what a string has between its quotes, UTF-8 and its escapes valid; how a number is
 * spelled; the bracket. */
struct mb_json_token {
    enum mb_json_kind kind;
    bool is_key;      /* a member's name: its value is next */
    bool has_escapes; /* of a string */
    bool has_zero;    /* the character 0 is among these */
    struct mb_text text;
    uint64_t digits; /* of an integer, without its sign; wrong if they are more than 18 */
};

static inline bool mb_json_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline struct mb_json_lexer mb_json_lexer_of(struct mb_text text)
{
    return (struct mb_json_lexer){.rest = text, .place = MB_JSON_BEFORE_VALUE};
}

/* False if the text is not JSON: lexer->rest begins near it. Not for use after that, or the end. */
bool mb_json_next(struct mb_json_lexer *lexer, struct mb_json_token *token);

/* Put a string's text without its escapes, in as many bytes at most. */
void mb_buf_put_unescaped(struct mb_buf *buf, struct mb_text text);

#endif
