/* A program run in our place: it gets our signals, we get its exit code. */

#ifndef CLI_RUN_CHILD_H
#define CLI_RUN_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is to be done once while the program runs; NULL: nothing. */
struct cli_run_alarm {
    uint64_t seconds; /* after its start; 0: never */
    void (*ring)(void *context, pid_t child);
    void *context;
};

/* Run argv (ended by NULL, found along PATH) to its end. Signals sent to this process meanwhile are
 * passed on; the terminal sends its own to both. Returns the exit code, 128 plus the number of the
 * signal that ended the program, or, with a message, 127 if the program does not exist and 126 if
 * it cannot be started. */
int cli_run_child(char **argv, const struct cli_run_alarm *alarm, bool *is_started);

#endif
