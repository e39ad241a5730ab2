/* Remote control: what other processes ask for through the trace file (abi/control.h), and SIGUSR2,
 * which asks for a dump. Only who may write to the file can ask. */

#ifndef RECORDER_CONTROL_H
#define RECORDER_CONTROL_H

#include "base/clock.h"
#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

/* A request waits no longer than this. */
#define BEAT_CONTROL_WAIT_NS (100 * MB_NS_PER_MS)

/* What requests and the signal cause. */
struct beat_control_actions {
    void (*stop)(void);
    bool (*dump)(const char *path);
    void (*wake)(void); /* see that beat_control_serve is called soon; safe in a signal handler */
};

/* A session begins; its header is filled. Listen if it has a file and the option is on, and take
 * SIGUSR2 if that has its default action. Under the lock. */
void beat_control_begin(struct beat_recorder *recorder, const struct beat_control_actions *actions);

/* The session was stopped: stop listening. Under the lock. */
void beat_control_end(struct beat_recorder *recorder);

/* In a forked child, which does not record: restore the signal's default action. Under the lock. */
void beat_control_forget(void);

/* May there be requests of the present session? Under the lock. */
bool beat_control_listens(const struct beat_recorder *recorder);

/* Do what was asked for in the header of a pinned memory, and answer. The keeper's thread; no
 * lock. */
void beat_control_serve(struct abi_trace_header *header);

#endif
