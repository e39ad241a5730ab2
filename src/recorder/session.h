/* The life of a recording: first probe, start, stop, release, fork. */

#ifndef RECORDER_SESSION_H
#define RECORDER_SESSION_H

#include "recorder/recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* Begin recording if this is the process's first probe; with a file that counts as started. NULL:
 * the environment's options. True if a session is open afterwards. Under the lock. */
bool beat_session_begin(struct beat_recorder *recorder, const struct beat_options *options);

/* Is this the present session, recording without having been started? Takes the lock. */
bool beat_session_is_waiting(uint32_t session);

/* Release everything if that is still so. Takes the lock. */
void beat_session_expire(uint32_t session);

/* The recorder's lock; the first call also prepares for fork and exit. */
struct beat_recorder *beat_session_lock(void);
void beat_session_unlock(struct beat_recorder *recorder);

#endif
