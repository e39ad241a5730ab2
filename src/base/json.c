#include "base/json.h"

#include "base/check.h"

#define MOST_DEPTH 64u
#define MOST_DIGITS 18u    /* of an integer */
#define MOST_EXPONENT 200u /* with MOST_DIGITS before the point that is a double */
#define PAIR_FIRST 0xD800u
#define PAIR_SECOND 0xDC00u
#define PAIR_END 0xE000u

enum place {
    BEFORE_VALUE,
    BEHIND_OPEN, /* of a list or object */
    BEFORE_KEY,
    BEHIND_VALUE,
};

struct nesting {
    enum place place;
    uint32_t depth;
    uint64_t objects; /* a bit for each depth; the others are lists */
};

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
    while (in->size > 0 && memchr(" \t\r\n", in->data[0], 4) != NULL) {
        skip_bytes(in, 1);
    }
}

/* ---- Strings ---- */

static bool take_hex4(struct mb_text *in, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        char lower = (char)(first_of(*in) | 0x20);
        const char *digit = in->size > 0 ? memchr(digits, lower, 16) : NULL;
        if (digit == NULL || first_of(*in) < '0') {
            return false;
        }
        *unit = *unit << 4 | (uint32_t)(digit - digits);
        skip_bytes(in, 1);
    }
    return true;
}

/* Behind the backslash and u. */
static bool take_unit(struct mb_text *in)
{
    uint32_t unit;
    uint32_t second;

    if (!take_hex4(in, &unit) || unit == 0) {
        return false;
    }
    if (unit < PAIR_FIRST || unit >= PAIR_END) {
        return true;
    }
    return unit < PAIR_SECOND && take_char(in, '\\') && take_char(in, 'u') &&
           take_hex4(in, &second) && second >= PAIR_SECOND && second < PAIR_END;
}

static bool take_escape(struct mb_text *in)
{
    char c = first_of(*in);

    if (take_char(in, 'u')) {
        return take_unit(in);
    }
    if (in->size == 0 || memchr("\"\\/bfnrt", c, 8) == NULL) {
        return false;
    }
    skip_bytes(in, 1);
    return true;
}

static bool take_string(struct mb_text *in)
{
    if (!take_char(in, '"')) {
        return false;
    }
    while (in->size > 0 && in->data[0] != '"') {
        size_t size = mb_text_utf8(*in);
        if ((unsigned char)in->data[0] < 0x20 || size == 0) {
            return false;
        }
        bool escapes = in->data[0] == '\\';
        skip_bytes(in, size);
        if (escapes && !take_escape(in)) {
            return false;
        }
    }
    return take_char(in, '"');
}

/* ---- Numbers and words ---- */

static size_t take_digits(struct mb_text *in)
{
    size_t count = 0;

    while (in->size > 0 && in->data[0] >= '0' && in->data[0] <= '9') {
        skip_bytes(in, 1);
        count++;
    }
    return count;
}

static bool take_exponent(struct mb_text *in)
{
    uint64_t exponent;

    if (first_of(*in) != 'e' && first_of(*in) != 'E') {
        return true;
    }
    skip_bytes(in, 1);
    if (first_of(*in) == '+' || first_of(*in) == '-') {
        skip_bytes(in, 1);
    }
    const char *digits = in->data;
    size_t count = take_digits(in);
    return mb_text_to_number((struct mb_text){digits, count}, MOST_EXPONENT, &exponent);
}

static bool take_number(struct mb_text *in)
{
    (void)take_char(in, '-');
    bool is_zero = first_of(*in) == '0';
    size_t count = take_digits(in);
    if (count == 0 || count > MOST_DIGITS || (is_zero && count > 1)) {
        return false;
    }
    return (!take_char(in, '.') || take_digits(in) > 0) && take_exponent(in);
}

static bool take_scalar(struct mb_text *in)
{
    static const struct mb_text words[] = {MB_TEXT_ROW("true"), MB_TEXT_ROW("false"),
                                           MB_TEXT_ROW("null")};

    for (size_t i = 0; i < MB_COUNT(words); i++) {
        if (mb_text_starts(*in, words[i])) {
            skip_bytes(in, words[i].size);
            return true;
        }
    }
    return first_of(*in) == '"' ? take_string(in) : take_number(in);
}

/* ---- Lists and objects ---- */

static bool is_in_object(const struct nesting *nesting)
{
    return nesting->depth > 0 && (nesting->objects >> (nesting->depth - 1) & 1) != 0;
}

static bool open_or_take(struct mb_text *in, struct nesting *nesting)
{
    char c = first_of(*in);

    if (c != '{' && c != '[') {
        nesting->place = BEHIND_VALUE;
        return take_scalar(in);
    }
    if (nesting->depth == MOST_DEPTH) {
        return false;
    }
    uint64_t bit = UINT64_C(1) << nesting->depth++;
    nesting->objects = c == '{' ? nesting->objects | bit : nesting->objects & ~bit;
    nesting->place = BEHIND_OPEN;
    skip_bytes(in, 1);
    return true;
}

static bool close_level(struct mb_text *in, struct nesting *nesting)
{
    if (nesting->depth == 0 || !take_char(in, is_in_object(nesting) ? '}' : ']')) {
        return false;
    }
    nesting->depth--;
    nesting->place = BEHIND_VALUE;
    return true;
}

static enum place next_of(const struct nesting *nesting)
{
    return is_in_object(nesting) ? BEFORE_KEY : BEFORE_VALUE;
}

static bool take_key(struct mb_text *in, struct nesting *nesting)
{
    bool is_key = take_string(in);

    skip_blanks(in);
    nesting->place = BEFORE_VALUE;
    return is_key && take_char(in, ':');
}

static bool read_token(struct mb_text *in, struct nesting *nesting)
{
    switch (nesting->place) {
    case BEFORE_VALUE:
        return open_or_take(in, nesting);
    case BEFORE_KEY:
        return take_key(in, nesting);
    case BEHIND_OPEN:
        if (!close_level(in, nesting)) {
            nesting->place = next_of(nesting);
        }
        return true;
    case BEHIND_VALUE:
        if (take_char(in, ',')) {
            nesting->place = next_of(nesting);
            return true;
        }
        return close_level(in, nesting);
    }
    return false;
}

bool mb_json_is_value(struct mb_text text)
{
    struct nesting nesting = {.place = BEFORE_VALUE};

    do {
        skip_blanks(&text);
        if (!read_token(&text, &nesting)) {
            return false;
        }
    } while (nesting.depth > 0 || nesting.place != BEHIND_VALUE);
    skip_blanks(&text);
    return text.size == 0;
}

/* A string holds neither line ends nor tabs. */
void mb_buf_put_json_value(struct mb_buf *buf, struct mb_text value)
{
    for (size_t i = 0; i < value.size; i++) {
        char c = value.data[i];
        mb_buf_put_u1(buf, (uint8_t)(c == '\n' || c == '\r' || c == '\t' ? ' ' : c));
    }
}
