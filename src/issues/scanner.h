/* Finds JSON objects in a text that comes in pieces, and reads them: in lines of their own, one a
 * line, several in a line, or after what a logger puts in front. */

#ifndef ISSUES_SCANNER_H
#define ISSUES_SCANNER_H

#include "base/value.h"

#define ISSUES_OBJECT_SIZE ((size_t)16 << 20) /* no object is longer */

/* Texts are valid during the call. Lines count from 1. */
struct issues_hearer {
    /* From brace to brace. value is NULL if it is no JSON: scanner->reader says why. */
    void (*object)(void *context, struct mb_text object, const struct mb_value *value, size_t line);
    /* It does not end: with its line or, at the start of a line, before the next one begins. */
    void (*cut)(void *context, struct mb_text start, size_t line);
    void *context;
};

/* Zeroed memory is at the start of a text and can be finished. */
struct issues_scanner {
    struct mb_buf waiting; /* from the start of a line on */
    size_t size_to_try;    /* of what waits, before it is looked at again */
    size_t lines;          /* in front of what waits */
    struct mb_reader reader;
};

/* Go through the next piece, and at the last one through what is left. Out of memory shows in
 * scanner->waiting. */
void issues_scan(struct issues_scanner *scanner, struct mb_text piece, bool is_last,
                 const struct issues_hearer *hearer);
void issues_scanner_finish(struct issues_scanner *scanner);

#endif
