#include "base/lexer.h"

#include "base/check.h"

#define PAIR_FIRST 0xD800u
#define PAIR_SECOND 0xDC00u
#define PAIR_END 0xE000u

static char first_of(struct mb_text in)
{
    return in.size > 0 ? in.data[0] : '\0';
}

static void skip_bytes(struct mb_text *in, size_t count)
{
    in->data += count;
    in->size -= count;
}

static bool take_char(struct mb_text *in, char wanted)
{
    bool is_there = in->size > 0 && in->data[0] == wanted;

    skip_bytes(in, is_there);
    return is_there;
}

static void skip_blanks(struct mb_text *in)
{
    while (in->size > 0 && mb_json_is_blank(in->data[0])) {
        skip_bytes(in, 1);
    }
}

/* ---- Strings ---- */

MB_COLD static bool take_hex4(struct mb_text *in, uint32_t *unit)
{
    *unit = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = i < in->size ? in->data[i] : '\0';
        char letter = (char)(c | 0x20);
        bool is_letter = letter >= 'a' && letter <= 'f';
        if (!is_letter && !mb_is_digit(c)) {
            return false;
        }
        *unit = *unit << 4 | (uint32_t)(is_letter ? letter - 'a' + 10 : c - '0');
    }
    skip_bytes(in, 4);
    return true;
}

/* Begins after the backslash and u; surrogates come in pairs. */
MB_COLD static bool take_point(struct mb_text *in, uint32_t *point)
{
    uint32_t second;

    if (!take_hex4(in, point)) {
        return false;
    }
    if (*point < PAIR_FIRST || *point >= PAIR_END) {
        return true;
    }
    if (*point >= PAIR_SECOND || !take_char(in, '\\') || !take_char(in, 'u') ||
        !take_hex4(in, &second) || second < PAIR_SECOND || second >= PAIR_END) {
        return false;
    }
    *point = 0x10000 + ((*point - PAIR_FIRST) << 10 | (second - PAIR_SECOND));
    return true;
}

/* What a letter after a backslash stands for; 0 if it is not an escape. */
static char meant_by(char letter)
{
    static const char meant[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

    return (unsigned char)letter < sizeof(meant) ? meant[(unsigned char)letter] : '\0';
}

/* Begins after the backslash. */
static bool take_escape(struct mb_text *in, uint32_t *point)
{
    *point = (unsigned char)meant_by(first_of(*in));
    skip_bytes(in, *point != 0);
    return *point != 0 || (take_char(in, 'u') && take_point(in, point));
}

/* Neither plain nor the last quote. */
static bool take_odd(struct mb_text *in, struct mb_json_token *token)
{
    uint32_t point = 1;

    if (take_char(in, '\\')) {
        token->has_escapes = true;
        bool is_right = take_escape(in, &point);
        token->has_zero = token->has_zero || point == 0;
        return is_right;
    }
    size_t size = mb_text_utf8(*in);
    bool is_right = size > 0 && (unsigned char)in->data[0] >= 0x20;
    skip_bytes(in, is_right ? size : 0);
    return is_right;
}

/* Begins after the first quote and ends after the last. */
static bool take_string(struct mb_text *in, struct mb_json_token *token)
{
    struct mb_text rest = mb_text_from(*in, mb_text_plain(*in));
    bool is_right = true;

    while (first_of(rest) != '"' && (is_right = take_odd(&rest, token))) {
        skip_bytes(&rest, mb_text_plain(rest));
    }
    token->kind = MB_JSON_STRING;
    token->text = (struct mb_text){in->data, (size_t)(rest.data - in->data)};
    *in = mb_text_from(rest, is_right);
    return is_right;
}

static void put_point(struct mb_buf *buf, uint32_t point)
{
    if (point < 0x80) {
        mb_buf_put_u1(buf, point);
    } else if (point < 0x800) {
        mb_buf_put_u1(buf, 0xc0 | point >> 6);
    } else if (point < 0x10000) {
        mb_buf_put_u1(buf, 0xe0 | point >> 12);
        mb_buf_put_u1(buf, 0x80 | (point >> 6 & 0x3f));
    } else {
        mb_buf_put_u1(buf, 0xf0 | point >> 18);
        mb_buf_put_u1(buf, 0x80 | (point >> 12 & 0x3f));
        mb_buf_put_u1(buf, 0x80 | (point >> 6 & 0x3f));
    }
    if (point >= 0x80) {
        mb_buf_put_u1(buf, 0x80 | (point & 0x3f));
    }
}

void mb_buf_put_unescaped(struct mb_buf *buf, struct mb_text text)
{
    uint32_t point;

    while (text.size > 0) {
        const char *slash = memchr(text.data, '\\', text.size);
        size_t size = slash != NULL ? (size_t)(slash - text.data) : text.size;
        mb_buf_put(buf, text.data, size);
        skip_bytes(&text, size + (slash != NULL));
        if (slash != NULL && take_escape(&text, &point)) {
            put_point(buf, point);
        }
    }
}

/* ---- Numbers and words ---- */

static size_t take_digits(struct mb_text *in, uint64_t *number)
{
    size_t count = 0;

    for (; count < in->size && mb_is_digit(in->data[count]); count++) {
        *number = *number * 10 + (uint64_t)(in->data[count] - '0');
    }
    skip_bytes(in, count);
    return count;
}

/* The fraction and the exponent after an integer, which make it a decimal. */
MB_COLD static bool take_decimal(struct mb_text *in, struct mb_json_token *token)
{
    uint64_t digits = 0;

    token->kind = MB_JSON_REAL;
    if (take_char(in, '.') && take_digits(in, &digits) == 0) {
        return false;
    }
    if (!take_char(in, 'e') && !take_char(in, 'E')) {
        return true;
    }
    if (!take_char(in, '+')) {
        (void)take_char(in, '-');
    }
    return take_digits(in, &digits) > 0;
}

static bool take_number(struct mb_text *in, struct mb_json_token *token)
{
    struct mb_text rest = *in;

    (void)take_char(&rest, '-');
    bool is_zero = first_of(rest) == '0';
    size_t count = take_digits(&rest, &token->digits);
    bool is_right = count > 0 && (!is_zero || count == 1);
    char c = first_of(rest);
    token->kind = MB_JSON_INTEGER;
    if (is_right && (c == '.' || c == 'e' || c == 'E')) {
        is_right = take_decimal(&rest, token);
    }
    token->text = (struct mb_text){in->data, (size_t)(rest.data - in->data)};
    *in = rest;
    return is_right;
}

MB_COLD static bool take_word(struct mb_text *in, struct mb_json_token *token)
{
    bool is_false = in->data[0] == 'f';
    struct mb_text word = is_false ? MB_TEXT("false") : MB_TEXT("true");

    token->kind = is_false ? MB_JSON_FALSE : MB_JSON_TRUE;
    if (in->data[0] == 'n') {
        token->kind = MB_JSON_NULL;
        word = MB_TEXT("null");
    }
    token->text = (struct mb_text){in->data, word.size};
    if (!mb_text_starts(*in, word)) {
        return false;
    }
    skip_bytes(in, word.size);
    return true;
}

static bool take_scalar(struct mb_text *in, struct mb_json_token *token)
{
    if (take_char(in, '"')) {
        return take_string(in, token);
    }
    return first_of(*in) >= 'a' ? take_word(in, token) : take_number(in, token);
}

/* ---- Lists and objects ---- */

static bool is_in_object(const struct mb_json_lexer *lexer)
{
    return lexer->depth > 0 && (lexer->objects >> (lexer->depth - 1) & 1) != 0;
}

static bool open_level(struct mb_json_lexer *lexer, struct mb_json_token *token)
{
    bool is_object = lexer->rest.data[0] == '{';

    if (lexer->depth == MB_JSON_DEPTH) {
        return false;
    }
    uint64_t bit = UINT64_C(1) << lexer->depth++;
    lexer->objects = is_object ? lexer->objects | bit : lexer->objects & ~bit;
    lexer->place = MB_JSON_BEHIND_OPEN;
    token->kind = is_object ? MB_JSON_OBJECT : MB_JSON_LIST;
    token->text = (struct mb_text){lexer->rest.data, 1};
    skip_bytes(&lexer->rest, 1);
    return true;
}

static bool close_level(struct mb_json_lexer *lexer, struct mb_json_token *token)
{
    if (lexer->depth == 0 || first_of(lexer->rest) != (is_in_object(lexer) ? '}' : ']')) {
        return false;
    }
    token->kind = MB_JSON_CLOSE;
    token->text = (struct mb_text){lexer->rest.data, 1};
    skip_bytes(&lexer->rest, 1);
    lexer->depth--;
    lexer->place = MB_JSON_BEHIND_VALUE;
    return true;
}

static bool take_value(struct mb_json_lexer *lexer, struct mb_json_token *token)
{
    char c = first_of(lexer->rest);

    if (c == '{' || c == '[') {
        return open_level(lexer, token);
    }
    lexer->place = MB_JSON_BEHIND_VALUE;
    return take_scalar(&lexer->rest, token);
}

static bool take_key(struct mb_json_lexer *lexer, struct mb_json_token *token)
{
    if (!take_char(&lexer->rest, '"') || !take_string(&lexer->rest, token)) {
        return false;
    }
    token->is_key = true;
    lexer->place = MB_JSON_BEFORE_VALUE;
    skip_blanks(&lexer->rest);
    return take_char(&lexer->rest, ':');
}

/* Where nothing closes. */
static bool take_next(struct mb_json_lexer *lexer, struct mb_json_token *token)
{
    skip_blanks(&lexer->rest);
    return is_in_object(lexer) ? take_key(lexer, token) : take_value(lexer, token);
}

static bool take_behind_value(struct mb_json_lexer *lexer, struct mb_json_token *token)
{
    if (lexer->depth == 0) {
        token->kind = MB_JSON_END;
        return lexer->rest.size == 0;
    }
    return take_char(&lexer->rest, ',') ? take_next(lexer, token) : close_level(lexer, token);
}

bool mb_json_next(struct mb_json_lexer *lexer, struct mb_json_token *token)
{
    *token = (struct mb_json_token){.kind = MB_JSON_NULL};
    skip_blanks(&lexer->rest);
    switch (lexer->place) {
    case MB_JSON_BEFORE_VALUE:
        return take_value(lexer, token);
    case MB_JSON_BEHIND_OPEN:
        return close_level(lexer, token) || take_next(lexer, token);
    case MB_JSON_BEHIND_VALUE:
        return take_behind_value(lexer, token);
    }
    return false;
}
