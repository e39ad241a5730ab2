/* A progress bar: on a terminal, after half a second, ten times a second. */

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

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
