/* The life of a recording: first probe, start, stop, release, fork. */

#ifndef RECORDER_SESSION_H
#define RECORDER_SESSION_H

#include "recorder/core.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Called when a session begins or ends, under the lock. May be NULL. */
extern void (*_Atomic beat_session_listener)(void);

/* Called before beat_stop ends a session, without locks, so that writers finish. May be NULL. */
extern void (*_Atomic beat_stop_listener)(void);

/* Begin recording if this is the process's first probe; with a file that counts as started. NULL:
 * the environment's options. True if a session is open afterwards. Under the lock. */
bool beat_session_begin(struct beat_recorder *recorder, const struct beat_options *options);

#endif
