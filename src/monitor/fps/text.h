/* The output of a device as text, which may have been saved as UTF-16. */

#ifndef MONITOR_FPS_TEXT_H
#define MONITOR_FPS_TEXT_H

#include "base/text.h"

#include <stdint.h>

/* Append the bytes as UTF-8: unchanged, unless a byte order mark says UTF-16. Invalid UTF-16
 * becomes U+FFFD. */
void fps_put_text(struct mb_buf *out, const void *bytes, size_t size);

/* A text that is read line by line. All borrowed; the maker sets rest, path and err. */
struct fps_lines {
    struct mb_text rest;
    struct mb_text line; /* without the white space at its ends; may be empty */
    size_t number;       /* of the line, from 1 */
    const char *path;    /* for the error */
    struct mb_error *err;
};

/* False at the end; the line stays. */
bool fps_next_line(struct fps_lines *lines);

/* Fails with MB_BAD_TEXT at the line: reason, followed by what, which may be "". */
enum mb_status fps_refuse(const struct fps_lines *lines, const char *reason, const char *what);

/* A whole number in [0, INT64_MAX]. */
bool fps_number(struct mb_text text, int64_t *number);

/* The next word of a line; false at its end. */
bool fps_next_word(struct mb_text *rest, struct mb_text *word);

#endif
