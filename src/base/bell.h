/* A bell that wakes a waiting thread: a word that any thread or signal handler can ring without a
 * lock. Waits use CLOCK_MONOTONIC, since the wall clock may be set. */

#ifndef BASE_BELL_H
#define BASE_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mb_bell {
    _Atomic(uint32_t) rang; /* 1: rung since the last wait */
};

/* One system call at most. */
void mb_bell_ring(struct mb_bell *bell);

/* Wait until the bell rings, or until this time in nanoseconds; INT64_MAX: no limit. True if it
 * rang since the last call, even before this one. For one thread at a time. */
bool mb_bell_wait(struct mb_bell *bell, int64_t until_ns);

#endif
