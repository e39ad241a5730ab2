/* Copying out of a ring while its thread writes. */

#ifndef RECORDER_MARKS_H
#define RECORDER_MARKS_H

#include "recorder/recorder.h"

#include <stdint.h>

/* Positions [first, end). */
struct beat_range {
    uint64_t first;
    uint64_t end;
};

/* Copy the words of a ring from position from (0: all) on, at most room words, the newest. The
 * range that words then holds, oldest first: every word whole, none of a newer lap, and no entry
 * of a call that min_ns took back meanwhile. Under the lock, which the writer does not take. */
struct beat_range beat_ring_copy(const struct beat_recorder *recorder, uint32_t index,
                                 uint64_t from, uint64_t *words, uint64_t room);

#endif
