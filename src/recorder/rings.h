/* Which thread writes to which ring. */

#ifndef RECORDER_RINGS_H
#define RECORDER_RINGS_H

#include "recorder/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define BEAT_THREAD_WORDS 65536u /* of a ring, where nobody says how long it is; of some more */

/* The bytes that the rings of options take, tables included. Raises what is too small, and lowers
 * first what nobody has set of thread_words, then max_virtual, then max_threads, then main_words,
 * to stay within max_bytes. */
uint64_t beat_rings_plan(struct beat_options *options);

uint32_t beat_rings_count(const struct beat_options *options);

#define BEAT_RINGS_EXTENTS 2u

/* Tables and main ring, and what follows up to the end of the last ring that has ever been
 * claimed. */
void beat_rings_used(const struct beat_recorder *recorder,
                     struct beat_extent extents[BEAT_RINGS_EXTENTS]);

/* How many entries of the table may ever have been claimed. Under the lock. */
uint32_t beat_rings_used_count(const struct beat_recorder *recorder);

/* Fill the (zeroed) ring table of a new session. */
void beat_rings_init(struct beat_recorder *recorder);

/* The ring of the recorded session that the thread has; NULL if none. Under the lock. */
struct abi_trace_ring *beat_rings_find(const struct beat_recorder *recorder,
                                       const struct beat_thread *thread);

/* Point the calling thread's cursor to a ring of the present session: its own of before, the main
 * ring, a new one, or the one whose thread ended longest ago. False if the thread is not to be
 * recorded, or if all rings are taken: then refused_session is set. Under the lock. */
bool beat_rings_claim(struct beat_recorder *recorder, struct beat_thread *thread);

/* The cursor of the ring's first half; both are open from the ring's present end on. Under the
 * lock. */
struct beat_cursor *beat_rings_point(const struct beat_recorder *recorder,
                                     struct abi_trace_ring *ring);

/* Take the words of an ended ring out, in an order that a kill between two stores cannot harm:
 * without words the rest is only a name. Under the lock. */
void beat_rings_empty(struct beat_recorder *recorder, struct abi_trace_ring *ring);

/* min_ns in units of time, rounded down, but at least 1 unless it is 0. */
uint32_t beat_rings_min_units(const struct abi_trace_header *header);

/* Claim the main ring for a writer without cursor: Java stores into it. False if it is taken by
 * another thread. Under the lock. */
bool beat_rings_claim_main(struct beat_recorder *recorder, uint32_t thread_id);

/* The session ends: the next probe of each thread attaches it anew. Under the lock. */
void beat_rings_close(struct beat_recorder *recorder);

/* The thread has a new name. Under the lock. */
void beat_rings_rename(struct beat_recorder *recorder, const struct beat_thread *thread);

/* The thread has ended: its words stay until somebody needs the ring. Under the lock. */
void beat_rings_end(struct beat_recorder *recorder, const struct beat_thread *thread);

#endif
