/* The abilities of the terminal. */

#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include "cli/options.h"

#include <stdbool.h>
#include <stdint.h>

/* NO_COLOR (no-color.org) is set: never; else CLICOLOR_FORCE: also in files; else standard output
 * is a terminal that is not dumb. */
bool cli_wants_colour(bool is_file);

/* Columns of a line on standard output: 80, or as many as a terminal has beyond that. */
size_t cli_columns(void);

/* ---- A progress bar: on a terminal, after half a second, ten times a second ---- */

struct cli_progress {
    int64_t next_ns; /* when to draw again */
    bool is_terminal;
    bool is_shown;
};

void cli_progress_init(struct cli_progress *progress);

/* No effect if total is 0. */
void cli_progress_show(struct cli_progress *progress, uint64_t done, uint64_t total);

/* Take the bar away, so that something else can be printed. */
void cli_progress_clear(struct cli_progress *progress);

#endif
