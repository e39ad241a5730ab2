/* The most likely meaning of a mistyped word. */

#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* Zeroed except word; best is NULL while no name is near enough. */
struct cli_nearest {
    const char *word;
    const char *best; /* borrowed from the candidates */
    size_t distance;  /* letters to put in, take out, change or swap */
};

/* The nearest name wins, the first of equals. A name that begins with the word is nearer than any
 * other; a name is too far if a third of its letters or more differ. */
void cli_nearest_offer(struct cli_nearest *nearest, const char *name);

#endif
