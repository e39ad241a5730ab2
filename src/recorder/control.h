/* Remote control: what other processes ask for through the trace file (abi/control.h), and SIGUSR2,
 * which asks for a dump. Only who may write to the file can ask. */

#ifndef RECORDER_CONTROL_H
#define RECORDER_CONTROL_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

/* A request waits no longer than this. */
#define BEAT_CONTROL_WAIT_NS INT64_C(100000000)

/* A session begins, whose header is described, with these options: is there a file, and does
 * somebody listen? Takes SIGUSR2 if nobody has it. Under the lock. */
void beat_control_begin(struct beat_recorder *recorder, const struct beat_options *options);

/* The session was stopped: nobody listens any more, unless it was at a request. Under the lock. */
void beat_control_end(struct beat_recorder *recorder);

/* In a forked child, which does not record: its signal is the system's again. Under the lock. */
void beat_control_forget(struct beat_recorder *recorder);

/* May there be requests of the present session, or of the one that was stopped from outside? Under
 * the lock. */
bool beat_control_listens(const struct beat_recorder *recorder);

/* Do what was asked for in the header of a pinned memory, and answer. The keeper's thread; no
 * lock. */
void beat_control_serve(struct abi_trace_header *header);

#endif
