/* Borrowed views of text, and the line reader of all our text files. */

#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Borrowed bytes, not terminated. */
struct mb_text {
    const char *data;
    size_t size;
};

/* The first for rows of static tables, the second for expressions. */
#define MB_TEXT_ROW(literal)           \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }
#define MB_TEXT(literal) ((struct mb_text)MB_TEXT_ROW(literal))

static inline struct mb_text mb_text_of(const char *string)
{
    return (struct mb_text){string, strlen(string)};
}

static inline bool mb_text_equal(struct mb_text a, struct mb_text b)
{
    return a.size == b.size && (b.size == 0 || memcmp(a.data, b.data, b.size) == 0);
}

static inline bool mb_text_is(struct mb_text text, const char *string)
{
    return mb_text_equal(text, mb_text_of(string));
}

/* The text after its first start bytes; it must have that many. */
static inline struct mb_text mb_text_from(struct mb_text text, size_t start)
{
    return (struct mb_text){text.data + start, text.size - start};
}

/* The offset after the last c, or 0. */
static inline size_t mb_text_after_last(struct mb_text text, char c)
{
    size_t at = text.size;

    while (at > 0 && text.data[at - 1] != c) {
        at--;
    }
    return at;
}

/* The path after its last slash, or the whole path if it has none. */
static inline const char *mb_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* ASCII letters in any case. */
bool mb_text_equal_any_case(struct mb_text a, struct mb_text b);

bool mb_text_starts(struct mb_text text, struct mb_text prefix);
bool mb_text_ends(struct mb_text text, struct mb_text suffix);
bool mb_text_contains(struct mb_text text, struct mb_text part);

/* True if it is like one of the patterns, between which there are colons; '*' is any text. */
bool mb_text_like(struct mb_text text, struct mb_text patterns);

/* Bytewise, as unsigned; a prefix sorts first. Negative, 0 or positive. */
int mb_text_compare(struct mb_text a, struct mb_text b);

/* A hash for tables and for comparing contents; the same on every machine of one byte order. */
uint64_t mb_text_hash(struct mb_text text);

/* Another hash, several times as fast for long texts. */
uint64_t mb_text_checksum(struct mb_text text);

/* Without ASCII white space at both ends. */
struct mb_text mb_text_trim(struct mb_text text);

/* Split off and return the part before the first separator; rest moves past it. Without a
 * separator returns the whole text, and rest is empty. */
struct mb_text mb_text_split(struct mb_text *rest, char separator);

/* The next line of rest, without its LF, CRLF or CR; false at the end. A byte order mark at the
 * start of the file is skipped when *number is 0. number counts lines from 1. */
bool mb_text_next_line(struct mb_text *rest, struct mb_text *line, size_t *number);

/* Dots become slashes, in place: the internal form of a class name (JVMS §4.2.1). */
void mb_make_internal_form(char *name, size_t size);

/* Whole decimal number in [0, limit]; false otherwise. */
bool mb_text_to_number(struct mb_text text, uint64_t limit, uint64_t *number);

/* The number of the first line that begins with the key, as in files of the system ("VmRSS:  12").
 * text is terminated. False, with *number as it was, if no line does. */
bool mb_text_find_number(const char *text, const char *key, uint64_t *number);

/* Size of the UTF-8 character at the start (RFC 3629); 0 if the bytes are not UTF-8. */
size_t mb_text_utf8(struct mb_text text);

/* How many bytes from the start are ASCII that is the same in a string of JSON: no controls, quotes
 * and backslashes. */
size_t mb_text_plain(struct mb_text text);

/* How many bytes from the start a person may be shown as they are: UTF-8 without control characters
 * (C0, DEL, C1), line and paragraph separators, and marks that turn the direction of writing. */
size_t mb_text_printable(struct mb_text text);

/* Put the text for people: each unprintable byte becomes \xNN. */
void mb_buf_put_printable(struct mb_buf *buf, struct mb_text text);

/* RFC 8259 string with its quotes, in UTF-8 whatever the text holds: bytes that are not UTF-8
 * become U+FFFD, characters that may not be shown \uNNNN. */
void mb_buf_put_json_string(struct mb_buf *buf, struct mb_text text);

static inline bool mb_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- Where in the source a frame of a stack is: a.b.C.load(C.java:12) ---- */

/* Borrowed from the frame's text; file is empty if the text has no line. */
struct mb_place {
    struct mb_text file;
    uint32_t line;
};

/* Split the place off the end of a frame's text: the function remains, which identifies the frame.
 * A text without file and line stays as it is, "operator()(int)" too. */
struct mb_place mb_place_cut(struct mb_text *frame);

#endif
