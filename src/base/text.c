#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static char to_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool mb_text_equal_any_case(struct mb_text a, struct mb_text b)
{
    for (size_t i = 0; i < a.size && a.size == b.size; i++) {
        if (to_lower(a.data[i]) != to_lower(b.data[i])) {
            return false;
        }
    }
    return a.size == b.size;
}

bool mb_text_starts(struct mb_text text, struct mb_text prefix)
{
    return text.size >= prefix.size &&
           mb_text_equal((struct mb_text){text.data, prefix.size}, prefix);
}

bool mb_text_ends(struct mb_text text, struct mb_text suffix)
{
    return text.size >= suffix.size &&
           mb_text_equal((struct mb_text){text.data + (text.size - suffix.size), suffix.size},
                         suffix);
}

bool mb_text_contains(struct mb_text text, struct mb_text part)
{
    while (part.size > 0 && text.size >= part.size) {
        const char *at = memchr(text.data, part.data[0], text.size - part.size + 1);
        if (at == NULL) {
            return false;
        }
        text = mb_text_from(text, (size_t)(at - text.data));
        if (mb_text_starts(text, part)) {
            return true;
        }
        text = mb_text_from(text, 1);
    }
    return part.size == 0;
}

static bool is_like(struct mb_text text, struct mb_text pattern)
{
    size_t star = SIZE_MAX; /* place of the last one */
    size_t kept = 0;        /* of the text, before what it stands for ends */
    size_t at = 0;
    size_t i = 0;

    while (i < text.size) {
        if (at < pattern.size && pattern.data[at] == '*') {
            star = at++;
            kept = i;
        } else if (at < pattern.size && pattern.data[at] == text.data[i]) {
            at++;
            i++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            i = ++kept;
        } else {
            return false;
        }
    }
    while (at < pattern.size && pattern.data[at] == '*') {
        at++;
    }
    return at == pattern.size;
}

bool mb_text_like(struct mb_text text, struct mb_text patterns)
{
    bool is = false;

    while (!is && patterns.size > 0) {
        is = is_like(text, mb_text_split(&patterns, ':'));
    }
    return is;
}

int mb_text_compare(struct mb_text a, struct mb_text b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared > 0 ? memcmp(a.data, b.data, shared) : 0;

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static uint64_t get_word(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Eight bytes a step: multiply, fold the high bits back. */
static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, struct mb_text text)
{
    uint64_t word = 0;
    size_t i = 0;

    for (; i + sizeof(word) <= text.size; i += sizeof(word)) {
        hash = mix_word(hash, get_word(text.data + i));
    }
    if (i < text.size) {
        memcpy(&word, text.data + i, text.size - i);
    }
    return mix_word(mix_word(hash, word), 0);
}

uint64_t mb_text_hash(struct mb_text text)
{
    return mix_text(text.size, text);
}

uint64_t mb_text_checksum(struct mb_text text)
{
    uint64_t lanes[4] = {text.size, 1, 2, 3}; /* each waits for its own product only */

    for (; text.size >= sizeof(lanes); text.size -= sizeof(lanes)) {
        for (size_t i = 0; i < MB_COUNT(lanes); i++) {
            lanes[i] = mix_word(lanes[i], get_word(text.data + 8 * i));
        }
        text.data += sizeof(lanes);
    }
    return mix_text(mix_word(mix_word(mix_word(lanes[0], lanes[1]), lanes[2]), lanes[3]), text);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct mb_text mb_text_trim(struct mb_text text)
{
    while (text.size > 0 && is_space(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_space(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

struct mb_text mb_text_split(struct mb_text *rest, char separator)
{
    const char *at = rest->size > 0 ? memchr(rest->data, separator, rest->size) : NULL;
    struct mb_text part = *rest;

    if (at == NULL) {
        *rest = (struct mb_text){part.size > 0 ? part.data + part.size : part.data, 0};
        return part;
    }
    part.size = (size_t)(at - rest->data);
    rest->data = at + 1;
    rest->size -= part.size + 1;
    return part;
}

static size_t line_size(struct mb_text text)
{
    size_t size = 0;

    while (size < text.size && text.data[size] != '\n' && text.data[size] != '\r') {
        size++;
    }
    return size;
}

bool mb_text_next_line(struct mb_text *rest, struct mb_text *line, size_t *number)
{
    static const struct mb_text byte_order_mark = MB_TEXT_ROW("\xef\xbb\xbf");

    if (*number == 0 && mb_text_starts(*rest, byte_order_mark)) {
        rest->data += byte_order_mark.size;
        rest->size -= byte_order_mark.size;
    }
    if (rest->size == 0) {
        return false;
    }
    size_t size = line_size(*rest);
    size_t end = size;
    if (end < rest->size && rest->data[end] == '\r') {
        end++;
    }
    if (end < rest->size && rest->data[end] == '\n') {
        end++;
    }
    *line = (struct mb_text){rest->data, size};
    rest->data += end;
    rest->size -= end;
    ++*number;
    return true;
}

void mb_make_internal_form(char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        name[i] = (char)(name[i] == '.' ? '/' : name[i]);
    }
}

bool mb_text_to_number(struct mb_text text, uint64_t limit, uint64_t *number)
{
    const uint64_t most = limit / 10;
    uint64_t value = 0;

    for (size_t i = 0; i < text.size; i++) {
        uint64_t digit = (uint64_t)(uint8_t)text.data[i] - '0';
        if (digit > 9 || value > most || digit > limit - value * 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *number = value;
    return text.size > 0;
}

bool mb_text_find_number(const char *text, const char *key, uint64_t *number)
{
    size_t size = strlen(key);

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) == 0) {
            *number = strtoull(line + size, NULL, 10);
            return true;
        }
    }
    return false;
}

size_t mb_text_utf8(struct mb_text text)
{
    const uint8_t *s = (const uint8_t *)text.data;

    if (text.size == 0) {
        return 0;
    }
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (size == 0 || s[0] > 0xf4 || size > text.size) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || outside ? 0 : size;
}

/* The code point of a sequence of two or three bytes. */
static uint32_t code_point(const uint8_t *s, size_t size)
{
    return size == 2 ? (s[0] & 0x1fU) << 6 | (s[1] & 0x3fU)
                     : (s[0] & 0x0fU) << 12 | (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU);
}

/* C1, ALM, LRM and RLM, separators and embeddings, isolates. */
static bool is_disturbing(uint32_t point)
{
    return (point >= 0x80 && point <= 0x9f) || point == 0x61c || point == 0x200e ||
           point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}

/* Length of the character at s if it may be shown, or 0. */
static size_t printable_sequence(const uint8_t *s, size_t left)
{
    size_t size = mb_text_utf8((struct mb_text){(const char *)s, left});

    if (size == 1) {
        return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
    }
    return (size == 2 || size == 3) && is_disturbing(code_point(s, size)) ? 0 : size;
}

size_t mb_text_printable(struct mb_text text)
{
    const uint8_t *s = (const uint8_t *)text.data;
    size_t end = 0;
    size_t size;

    while (end < text.size && (size = printable_sequence(s + end, text.size - end)) > 0) {
        end += size;
    }
    return end;
}

void mb_buf_put_printable(struct mb_buf *buf, struct mb_text text)
{
    while (text.size > 0) {
        size_t size = mb_text_printable(text);
        mb_buf_put(buf, text.data, size);
        if (size < text.size) {
            mb_buf_printf(buf, "\\x%02x", (unsigned)(uint8_t)text.data[size++]);
        }
        text.data += size;
        text.size -= size;
    }
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* The first byte is the lowest, on any machine. */
static uint64_t get_bytes(const char *at)
{
    const uint8_t *b = (const uint8_t *)at;

    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* The highest bit of each byte that is not plain; bytes after the first such may be marked, too. */
static uint64_t mark_odd(uint64_t word)
{
    uint64_t quotes = (word ^ EACH_BYTE * '"') - EACH_BYTE;
    uint64_t slashes = (word ^ EACH_BYTE * '\\') - EACH_BYTE;

    return (quotes | slashes | (word - EACH_BYTE * 0x20) | (word + EACH_BYTE) | word) &
           EACH_BYTE * 0x80;
}

/* How many bytes are in front of the first that is marked. */
static size_t bytes_before(uint64_t marks)
{
    uint64_t lowest = (marks & (0 - marks)) >> 7;

    return (size_t)(((lowest - 1) & EACH_BYTE) * EACH_BYTE >> 56);
}

size_t mb_text_plain(struct mb_text text)
{
    uint64_t odd = 0;
    size_t at = 0;

    while (at + sizeof(odd) <= text.size && (odd = mark_odd(get_bytes(text.data + at))) == 0) {
        at += sizeof(odd);
    }
    if (odd != 0) {
        return at + bytes_before(odd);
    }
    while (at < text.size && text.data[at] >= 0x20 && text.data[at] < 0x7f &&
           text.data[at] != '"' && text.data[at] != '\\') {
        at++;
    }
    return at;
}

static void put_json_ascii(struct mb_buf *buf, char c)
{
    static const char specials[] = "\"\\\n\r\t";
    static const char letters[] = "\"\\nrt";
    const char *special = memchr(specials, c, sizeof(specials) - 1);

    if (special != NULL) {
        mb_buf_put_u1(buf, '\\');
        mb_buf_put_u1(buf, (unsigned char)letters[special - specials]);
    } else if ((unsigned char)c < 0x20 || c == 0x7f) {
        mb_buf_printf(buf, "\\u%04x", (unsigned)(unsigned char)c);
    } else {
        mb_buf_put_u1(buf, (unsigned char)c);
    }
}

/* A sequence of size bytes; size 0: not a first byte. */
static void put_json_character(struct mb_buf *buf, const uint8_t *s, size_t size)
{
    if (size == 1) {
        put_json_ascii(buf, (char)s[0]);
    } else if (size == 0) {
        mb_buf_put_string(buf, "\xef\xbf\xbd");
    } else if (size < 4 && is_disturbing(code_point(s, size))) {
        mb_buf_printf(buf, "\\u%04x", (unsigned)code_point(s, size));
    } else {
        mb_buf_put(buf, s, size);
    }
}

void mb_buf_put_json_string(struct mb_buf *buf, struct mb_text text)
{
    const uint8_t *s = (const uint8_t *)text.data;

    mb_buf_put_u1(buf, '"');
    for (size_t i = 0; i < text.size;) {
        size_t size = mb_text_plain(mb_text_from(text, i));
        mb_buf_put(buf, text.data + i, size);
        i += size;
        size = mb_text_utf8(mb_text_from(text, i));
        if (i < text.size) {
            put_json_character(buf, s + i, size);
            i += size > 0 ? size : 1;
        }
    }
    mb_buf_put_u1(buf, '"');
}

/* ---- Places of frames ---- */

struct mb_place mb_place_cut(struct mb_text *frame)
{
    size_t open = mb_text_after_last(*frame, '(');
    struct mb_text place = mb_text_from(*frame, open);
    size_t number = mb_text_after_last(place, ':');
    uint64_t line;

    if (open < 2 || number < 2 || !mb_text_ends(place, MB_TEXT(")"))) {
        return (struct mb_place){0};
    }
    struct mb_text digits = {place.data + number, place.size - number - 1};
    if (!mb_text_to_number(digits, UINT32_MAX, &line)) {
        return (struct mb_place){0};
    }
    frame->size = open - 1;
    return (struct mb_place){{place.data, number - 1}, (uint32_t)line};
}
