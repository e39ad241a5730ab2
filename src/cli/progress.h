/* A bar for people who wait: on a terminal, after half a second, ten times a second. */

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct cli_progress {
    struct timespec next; /* when to draw again */
    bool is_terminal;
    bool is_shown;
};

void cli_progress_init(struct cli_progress *progress);

/* total 0 shows nothing. */
void cli_progress_show(struct cli_progress *progress, uint64_t done, uint64_t total);

/* Take the bar away, so that something else can be printed. */
void cli_progress_clear(struct cli_progress *progress);

#endif
