/* Which thread writes to which ring. */

#ifndef RECORDER_RINGS_H
#define RECORDER_RINGS_H

#include "recorder/recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* The bytes that the rings of options take, tables included. May lower options->max_threads to
 * stay within max_bytes. */
uint64_t beat_rings_plan(struct beat_options *options);

/* The bytes up to the end of the last ring that has ever been claimed (at least the main one). */
uint64_t beat_rings_used_size(const struct beat_recorder *recorder);

/* Fill the (zeroed) ring table of a new session. */
void beat_rings_init(struct beat_recorder *recorder);

/* Make cursor write for the calling thread in the present session: its own ring of before, the
 * main ring, a new one, or the one whose thread ended longest ago. False if the thread is not to be
 * recorded, or if there is no ring: then refused_session is set. Under the lock. */
bool beat_rings_claim(struct beat_recorder *recorder, struct beat_cursor *cursor);

/* min_ns in units of time, rounded down, but at least 1 unless it is 0. */
uint32_t beat_rings_min_units(const struct abi_trace_header *header);

/* Claim the main ring for a writer without cursor: Java stores into it. False if it is taken by
 * another thread. Under the lock. */
bool beat_rings_claim_main(struct beat_recorder *recorder, uint32_t thread_id);

/* The thread has ended: its words stay until somebody needs the ring. Under the lock. */
void beat_rings_end(struct beat_recorder *recorder, const struct beat_cursor *cursor);

#endif
