/* What wakes a thread that waits: a word that is rung without a lock, also by signal handlers.
 * Waits are by CLOCK_MONOTONIC, since the wall clock may be set. */

#ifndef BASE_BELL_H
#define BASE_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mb_bell {
    _Atomic(uint32_t) rang; /* 1: since somebody waited last */
};

/* One system call at most. */
void mb_bell_ring(struct mb_bell *bell);

/* Until it rings, or until then, in nanoseconds; INT64_MAX: without end. True if it rang since the
 * last call, also before this one. For one thread at a time. */
bool mb_bell_wait(struct mb_bell *bell, int64_t until_ns);

#endif
