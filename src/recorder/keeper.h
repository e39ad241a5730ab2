/* The recorder's thread: refreshes the coarse clock, refines the counter's rate, fills the
 * profile, and ends a session that is not started in time. It runs only while there is something
 * to do. */

#ifndef RECORDER_KEEPER_H
#define RECORDER_KEEPER_H

#include "recorder/core.h"

#include <stdbool.h>

/* In a forked child: the keeper's thread is gone. Under the lock. */
void beat_keeper_forget(struct beat_recorder *recorder);

/* Keep the present session until it ends. If it is not started in time, expire is called under
 * the lock. Under the lock. */
void beat_keeper_start(struct beat_recorder *recorder,
                       void (*expire)(struct beat_recorder *recorder));

/* Wake the keeper after a change of the session. Under the lock. */
void beat_keeper_wake(const struct beat_recorder *recorder);

/* Have the keeper look for requests, if there is one. Safe in a signal handler. */
void beat_keeper_ring(void);

/* A ring has come to the end of a half, or is new: drain it soon. No lock; at most one system
 * call. */
void beat_keeper_hurry(void);

/* A message begins or ends on the calling thread. The coarse clock runs while any message is
 * open, and is refreshed here, so that the message's own times are exact. No lock; at most one
 * system call. */
void beat_keeper_message(struct abi_trace_header *header, bool is_main, bool begins);

/* The calling thread ends, be it in a message. */
void beat_keeper_thread_ends(struct beat_thread *thread);

#endif
