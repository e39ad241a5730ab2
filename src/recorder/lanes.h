/* Lanes: rings that no thread owns, for threads that the system does not know, such as Java's
 * virtual ones. Such a thread takes a lane at its outermost call and gives it back at the exit of
 * that call. Meanwhile it may move between threads of the system, but not within a function of this
 * module. So calls in a lane nest like those of a thread. The caller keeps track of who has which
 * lane, and orders its uses. */

#ifndef RECORDER_LANES_H
#define RECORDER_LANES_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

#define BEAT_NO_LANE 0u

/* A lane by number: from the top 32 bits session, 8 bits kind (0: the longest rings), 24 bits ring.
 * It is good for as long as its session, harmless afterwards, and keeps nothing alive. */
#define BEAT_LANE_SESSION_SHIFT 32
#define BEAT_LANE_KIND_SHIFT 24
#define BEAT_LANE_RING_MASK ((UINT64_C(1) << BEAT_LANE_KIND_SHIFT) - 1)

/* Give out an empty lane of the present session; reports show it under name. BEAT_NO_LANE if all
 * are taken. */
uint64_t beat_lane_create(const char *name);

/* Give the lane back. Calls that are open on it end with its last record. */
void beat_lane_end(uint64_t lane);

/* The probes, of any id. False, and nothing recorded, if the lane's session is over. No lock, but
 * for a thread's first in a session. */
bool beat_lane_i(uint64_t lane, uint32_t id);
bool beat_lane_o(uint64_t lane, uint32_t id);
bool beat_lane_c(uint64_t lane, uint32_t id);

/* For the probes: reopen a lane's cursor, which was closed when the session moved to a file.
 * False if the session is over. */
bool beat_lane_reopen(uint64_t lane);

static inline uint32_t beat_lane_session(uint64_t lane)
{
    return (uint32_t)(lane >> BEAT_LANE_SESSION_SHIFT);
}

static inline uint32_t beat_lane_ring(uint64_t lane)
{
    return (uint32_t)(lane & BEAT_LANE_RING_MASK);
}

#endif
