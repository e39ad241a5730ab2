/* A program run in our place: it gets our signals, we get its exit code. */

#ifndef PROC_CHILD_H
#define PROC_CHILD_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

/* What is to be done once while the program runs; NULL: nothing. */
struct proc_child_alarm {
    uint64_t seconds; /* after its start; 0: never */
    void (*ring)(void *context, pid_t child);
    void *context;
};

/* Run argv (ended by NULL, found along PATH) to its end. Signals sent to this process meanwhile are
 * passed on; the terminal sends its own to both. *code is the exit code, or 128 plus the number of
 * the signal that ended the program; MB_IO with 127 there if the program does not exist, with 126
 * if it cannot be started. */
MB_MUST_CHECK enum mb_status proc_child_run(char **argv, const struct proc_child_alarm *alarm,
                                            int *code, struct mb_error *err);

#endif
