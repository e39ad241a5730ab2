/* What methodbeat puts in the /tmp of a process for a while, and what killed ones left there. */

#ifndef PROC_LEFTOVERS_H
#define PROC_LEFTOVERS_H

#include <stdbool.h>
#include <sys/types.h>

/* Names below /tmp, each followed by the process's own number and a '-'. */
#define PROC_LEFTOVER_TRACE ".methodbeat-"
#define PROC_LEFTOVER_LIBRARY "libmethodbeat-agent-"

/* In the user's place (foreign.h): remove those of processes that have ended, a minute after they
 * were last written; of this one, too, if no other methodbeat is attached to it. Traces that
 * are being written stay. */
void proc_leftovers_remove(pid_t own_pid, bool is_ours);

#endif
