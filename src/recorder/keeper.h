/* The thread beside the recorder: refreshes the coarse clock, refines the counter's rate, fills the
 * profile, and sees to the end of what nobody starts. It exists only while one of these is to be
 * done. */

#ifndef RECORDER_KEEPER_H
#define RECORDER_KEEPER_H

#include "recorder/core.h"

#include <stdbool.h>

/* In a forked child: the keeper's thread is gone. Under the lock. */
void beat_keeper_forget(struct beat_recorder *recorder);

/* Keep the present session until it ends. If nobody has started it in time, expire is called under
 * the lock. Under the lock. */
void beat_keeper_start(struct beat_recorder *recorder,
                       void (*expire)(struct beat_recorder *recorder));

/* The session changed: let the keeper see that. Under the lock. */
void beat_keeper_wake(const struct beat_recorder *recorder);

/* Have the keeper look for requests, if there is one. Safe in a signal handler. */
void beat_keeper_ring(void);

/* A ring has come to the end of a half, or is new: drain it soon. No lock; at most one system
 * call. */
void beat_keeper_hurry(void);

/* A message begins or ends on the calling thread: the coarse clock runs; rests when none is open
 * any more. Refreshes it at once, so that the message's own times are exact. No lock; at most one
 * system call. */
void beat_keeper_message(struct abi_trace_header *header, bool is_main, bool begins);

/* The calling thread ends, be it in a message. */
void beat_keeper_thread_ends(struct beat_thread *thread);

#endif
