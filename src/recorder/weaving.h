/* Counts of what became of classes as they got probes: the trace says them (abi/weaving.h). */

#ifndef RECORDER_WEAVING_H
#define RECORDER_WEAVING_H

#include "abi/weaving.h"
#include "recorder/core.h"

#include <stdint.h>

/* Any thread. Counts are of the process: the present recording and each later one has them. */
void beat_weaving_add(enum abi_weaving what, uint64_t count);

void beat_weaving_read(uint64_t values[ABI_WEAVING_COUNT]);

/* All counts are 0 again, before probes are put in anew. */
void beat_weaving_reset(void);

/* Put the counts so far into the section of a new session. Under the lock. */
void beat_weaving_begin(const struct beat_recorder *recorder);

#endif
