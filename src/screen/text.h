/* What a device printed, as text: whoever saved it may have had it turned to UTF-16. */

#ifndef SCREEN_TEXT_H
#define SCREEN_TEXT_H

#include "base/text.h"

#include <stdint.h>

/* Append the bytes as UTF-8: as they are, unless a byte order mark says UTF-16. What is no character there
 * becomes U+FFFD. */
void screen_put_text(struct mb_buf *out, const void *bytes, size_t size);

/* The next line without the white space at its ends; empty ones too. False at the end. number counts
 * from 1. */
bool screen_next_line(struct mb_text *rest, struct mb_text *line, size_t *number);

/* A whole number in [0, INT64_MAX]. */
bool screen_number(struct mb_text text, int64_t *number);

/* The next word of a line; false at its end. */
bool screen_next_word(struct mb_text *rest, struct mb_text *word);

#endif
