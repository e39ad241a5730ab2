/* Views of text that somebody else owns, and the line reader of all our text files. */

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

bool mb_text_starts(struct mb_text text, struct mb_text prefix);
bool mb_text_ends(struct mb_text text, struct mb_text suffix);
bool mb_text_contains(struct mb_text text, struct mb_text part);

/* Bytewise, as unsigned; a prefix sorts first. Negative, 0 or positive. */
int mb_text_compare(struct mb_text a, struct mb_text b);

/* For hash tables and for telling contents apart; the same on every machine of one byte order. */
uint64_t mb_text_hash(struct mb_text text);

/* Another value, several times as fast for what is long. */
uint64_t mb_text_checksum(struct mb_text text);

/* Without ASCII white space at both ends. */
struct mb_text mb_text_trim(struct mb_text text);

/* Cut off and return the part before the first separator; rest moves behind it. Without a
 * separator the whole is returned and rest is empty. */
struct mb_text mb_text_split(struct mb_text *rest, char separator);

/* The next line of rest, without its LF, CRLF or CR; false at the end. A byte order mark at the
 * start of the file is skipped when *number is 0. number counts lines from 1. */
bool mb_text_next_line(struct mb_text *rest, struct mb_text *line, size_t *number);

/* Whole decimal number in [0, limit]; false otherwise. */
bool mb_text_to_number(struct mb_text text, uint64_t limit, uint64_t *number);

/* RFC 8259 string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void mb_buf_put_json_string(struct mb_buf *buf, struct mb_text text);

#endif
