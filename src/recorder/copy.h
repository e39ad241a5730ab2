/* Copying out of a ring while its thread writes. */

#ifndef RECORDER_COPY_H
#define RECORDER_COPY_H

#include "recorder/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* The ring of one thread. */
struct beat_source {
    struct beat_memory *memory;
    const struct abi_trace_ring *ring;
    const _Atomic(uint64_t) *slots;
    uint32_t claim; /* of the thread */
    uint32_t slack; /* slots that the next store may spoil */
};

/* Positions [first, end). */
struct beat_range {
    uint64_t first;
    uint64_t end;
};

/* A buffer for count words. */
struct beat_room {
    uint64_t *words;
    uint64_t count;
};

/* The ring with that index. The memory must be in use or have a reader. java_writes: Java stores
 * into rings of threads. Under the lock. */
struct beat_source beat_source_of(struct beat_memory *memory, uint32_t index, bool java_writes);

/* True if the word of that position is overwritten, or may be by the next store. */
bool beat_source_has_lapped(const struct beat_source *source, uint64_t position);

/* Copy the words from position from (0: all) on, at most the room's count, the newest. *range is
 * what the room then holds, oldest first: every word whole, all of the same lap. Called under the
 * lock, which is given up meanwhile; a session that begins in between does no harm. False if the
 * ring has become another thread's: the words, from 0 on, and source->claim are then that
 * thread's. */
bool beat_copy_ring(struct beat_recorder *recorder, struct beat_source *source, uint64_t from,
                    struct beat_room room, struct beat_range *range);

/* Copy the wanted words, which have all been written, at most the room's count, the oldest. *range
 * is what was still there. False if the ring has become another's: then nothing was copied. No
 * lock, but the memory has a reader. */
bool beat_copy_next(const struct beat_source *source, struct beat_range wanted,
                    struct beat_room room, struct beat_range *range);

#endif
