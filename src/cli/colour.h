/* The abilities of the terminal. */

#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include "cli/options.h"

#include <stdbool.h>

enum cli_colour {
    CLI_COLOUR_AUTO, /* on a terminal that is not dumb, unless NO_COLOR (no-color.org) is set */
    CLI_COLOUR_ALWAYS,
    CLI_COLOUR_NEVER,
};

/* On standard output. */
bool cli_wants_colour(enum cli_colour colour);

/* Columns of a line on standard output: 80, or as many as a terminal has beyond that. */
size_t cli_columns(void);

#endif
