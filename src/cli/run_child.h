/* A program run in our place: it gets our signals, we get its exit code. */

#ifndef CLI_RUN_CHILD_H
#define CLI_RUN_CHILD_H

#include <stdbool.h>

/* Run argv (ended by NULL, found along PATH) to its end. Signals that somebody sends to this
 * process meanwhile go on to it; those of the terminal it gets by itself. Its exit code, 128 and
 * the number of the signal that ended it, or, reported, 127 if no such program exists and 126 if
 * it cannot be started. */
int cli_run_child(char **argv, bool *is_started);

#endif
