/* The bell that wakes the watcher. */

#ifndef MONITOR_WATCH_BELL_H
#define MONITOR_WATCH_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic(bool) watch_bell_rests;

/* One system call if the watcher sleeps. */
void watch_bell_ring(void);

/* Ring if the watcher sleeps without a time limit. Call it after a sequentially consistent store of
 * the event. */
static inline void watch_bell_ring_if_resting(void)
{
    if (atomic_load(&watch_bell_rests)) {
        watch_bell_ring();
    }
}

/* ---- The watcher ---- */

/* From now on other threads ring after each store. The watcher sees all earlier stores if it reads
 * them after this call. */
void watch_bell_rest(void);

/* Sleep until that time (INT64_MAX: no limit) or until the bell rings. True if it rang since the
 * last call. */
bool watch_bell_wait(int64_t until_ns);

#endif
