/* The thread beside the recorder: refreshes the coarse clock, refines the counter's rate, and
 * releases what nobody starts. It exists only while one of these is to be done. */

#ifndef RECORDER_KEEPER_H
#define RECORDER_KEEPER_H

#include "abi/tracefile.h"

#include <stdbool.h>
#include <stdint.h>

/* Once per process, before any other; in a forked child again. */
void beat_keeper_init(void);

/* Keep this session until it is no longer the present one. Under the lock. */
void beat_keeper_start(uint32_t session);

/* The session changed: let its keeper see that. */
void beat_keeper_wake(void);

/* A message begins or ends on the calling thread: the coarse clock runs, may rest. Refreshes it
 * at once, so that the message's own times are exact. No lock; at most one sem_post. */
void beat_keeper_message(struct abi_trace_header *header, bool begins);

#endif
