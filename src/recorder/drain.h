/* Moves words from the rings into the profile: the keeper every few milliseconds, others when
 * they need it up to date. The drain has its own lock, which is taken before the recorder's and
 * never by a probe. */

#ifndef RECORDER_DRAIN_H
#define RECORDER_DRAIN_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

/* While the lock is held, the profile does not change. Not under the recorder's lock. */
void beat_drain_lock(void);
void beat_drain_unlock(void);

/* Bring the profile of the recorded session up to date, as far as the rings were written when this
 * is called. Under the drain's lock, not the recorder's. */
void beat_drain_all(void);

/* Release the memory of the recorded session before a new one replaces it. Under both locks. */
void beat_drain_forget(void);

/* Finish the calling thread, which ends: drain its last words, close its calls, read its CPU
 * time. Under no lock. */
void beat_drain_thread(struct beat_thread *thread);

/* One round of the keeper: drain all rings, mute methods. Returns when the next is due, in
 * nanoseconds from this call; BEAT_DRAIN_NEVER without a profile. late_ns is how much later than
 * was planned this one begins. Under no lock. */
#define BEAT_DRAIN_NEVER INT64_MAX
int64_t beat_drain_round(int64_t late_ns);

/* Release memory that the profile needs no longer, when the keeper leaves a session. Under no
 * lock. */
void beat_drain_release(void);

/* In a forked child: forget the profile. Under both locks. */
void beat_drain_abandon(void);

#endif
