/* Lanes: rings that no thread owns, for threads that the system does not know, as Java's virtual
 * ones are. Such a thread takes a lane at its outermost call and lets another have it after the
 * exit of that call; meanwhile it may wander from one of the system's threads to the next, but not
 * within a function of ours. So calls in a lane nest as those of a thread do. Who has which lane is
 * for the caller to know, and that one use happens before the next. */

#ifndef RECORDER_LANES_H
#define RECORDER_LANES_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

#define BEAT_MAX_THREADS 4095u
#define BEAT_MAX_LANES 61440u
#define BEAT_NO_LANE 0u

/* A lane by number: from the top 32 bits session, 8 bits kind (0: the longest rings), 24 bits ring.
 * It is good for as long as its session, harmless afterwards, and keeps nothing alive. */
#define BEAT_LANE_SESSION_SHIFT 32
#define BEAT_LANE_KIND_SHIFT 24
#define BEAT_LANE_RING_MASK ((UINT64_C(1) << BEAT_LANE_KIND_SHIFT) - 1)

/* How many there are to be, and the bytes of their words. The first 64 are as long as the rings of
 * threads, so that where few threads are inside calls they keep as much as others do; the next 960
 * have a 16th of that and the rest a 256th. */
uint32_t beat_lanes_count(const struct beat_options *options);
uint64_t beat_lanes_size(const struct beat_options *options);

/* A lane of the present session that nobody has, empty, under that name in reports; BEAT_NO_LANE if
 * absent. */
uint64_t beat_lane_create(const char *name);

/* Its holder has ended inside calls, or nobody is to use it any more: its open calls ended with its
 * last record. */
void beat_lane_end(uint64_t lane);

/* The probes, of any id. False, and nothing recorded, if the lane's session is over. No lock, but
 * for a thread's first in a session. */
bool beat_lane_i(uint64_t lane, uint32_t id);
bool beat_lane_o(uint64_t lane, uint32_t id);
bool beat_lane_c(uint64_t lane, uint32_t id);

/* For the probes: a lane's cursor that was closed as its session went on in a file is open again.
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
