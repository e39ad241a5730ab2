/* From the rings to the profile: what the keeper does every few milliseconds, and whoever needs the
 * profile up to date does at once. It has a lock of its own, which is taken before the recorder's
 * and never by a probe. */

#ifndef RECORDER_DRAIN_H
#define RECORDER_DRAIN_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

/* What is between the two finds the profile at rest. Not under the recorder's lock. */
void beat_drain_lock(void);
void beat_drain_unlock(void);

/* Bring the profile of the recorded session up to date, as far as the rings were written when this
 * is called. Under the drain's lock, not the recorder's. */
void beat_drain_all(void);

/* A session is about to replace the recorded one: let go of its memory. Under both locks. */
void beat_drain_forget(void);

/* The calling thread is at its end: the last of its words, the end of its calls, its CPU time.
 * Under no lock. */
void beat_drain_thread(struct beat_thread *thread);

/* One round of the keeper: drain all rings, mute what is to be muted. When the next is due, in
 * nanoseconds from when this is called; BEAT_DRAIN_NEVER without a profile. Under no lock. */
#define BEAT_DRAIN_NEVER INT64_MAX
int64_t beat_drain_round(void);

/* Nobody keeps the session any more: let go of memory that serves nothing. Under no lock. */
void beat_drain_release(void);

/* In a forked child: whoever had the lock, nobody has it. */
void beat_drain_break_lock(void);

/* In a forked child, where nobody drains: as if there had been no profile. is_within: the thread
 * that forked was inside, and goes on there. Under the recorder's lock. */
void beat_drain_abandon(bool is_within);

#endif
