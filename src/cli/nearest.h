/* What a mistyped word may have meant. */

#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* Zeroed but for word; best is NULL while nothing is near enough. */
struct cli_nearest {
    const char *word;
    const char *best; /* borrowed from what was offered */
    size_t distance;  /* letters to put in, take out, change or swap */
};

/* The nearest name wins, the first of equals. A name that the word begins is nearer than any other;
 * one is too far if a third of its letters or more are wrong. */
void cli_nearest_offer(struct cli_nearest *nearest, const char *name);

#endif
