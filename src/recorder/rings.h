/* Which thread writes to which ring. */

#ifndef RECORDER_RINGS_H
#define RECORDER_RINGS_H

#include "recorder/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define BEAT_RINGS_EXTENTS 2u

/* Records of a tick that have the system's time at first; then the keeper shares them out. So short
 * programs are told exactly. */
#define BEAT_FIRST_EXACT 8000u

/* The tables with the main ring, and the rings after it up to the last one that was ever
 * claimed. */
void beat_rings_used(const struct beat_recorder *recorder,
                     struct beat_extent extents[BEAT_RINGS_EXTENTS]);

/* The entries of the table from this index on were never claimed. Under the lock. */
uint32_t beat_rings_used_count(const struct beat_recorder *recorder);

/* Fill the (zeroed) ring table of a new session. */
void beat_rings_init(struct beat_recorder *recorder);

/* The ring of the recorded session that the thread has; NULL if none. Under the lock. */
struct abi_trace_ring *beat_rings_find(const struct beat_recorder *recorder,
                                       const struct beat_thread *thread);

/* Point the calling thread's cursor to a ring of the present session: the ring that it has, the
 * main ring, an unused one, or the one whose thread ended longest ago. False if the thread is
 * not to be recorded, or all rings are taken; refused_session is then set. Under the lock. */
bool beat_rings_claim(struct beat_recorder *recorder, struct beat_thread *thread);

/* Open both cursors of the ring at its present end, and return that of the first half. Under the
 * lock. */
struct beat_cursor *beat_rings_point(const struct beat_recorder *recorder,
                                     struct abi_trace_ring *ring);

/* Remove the words of an ended ring, in an order that keeps the file valid if the process is
 * killed between two stores. Under the lock. */
void beat_rings_empty(struct beat_recorder *recorder, struct abi_trace_ring *ring);

/* The session ends: the next probe of each thread attaches it anew. Under the lock. */
void beat_rings_close(struct beat_recorder *recorder);

/* The thread has a new name. Under the lock. */
void beat_rings_rename(struct beat_recorder *recorder, const struct beat_thread *thread);

/* The thread has ended: its words stay until another thread needs the ring. Under the lock. */
void beat_rings_end(struct beat_recorder *recorder, const struct beat_thread *thread);

/* The number of rings in the table before the first lane. */
static inline uint32_t beat_rings_thread_count(const struct beat_recorder *recorder)
{
    return recorder->memory->plan.ring_count - recorder->memory->plan.lane_count;
}

#endif
