/* What wakes the watcher. */

#ifndef WATCH_BELL_H
#define WATCH_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic(bool) watch_bell_rests;

/* One system call if the watcher sleeps. */
void watch_bell_ring(void);

/* The same if it sleeps until something happens. To be called behind a sequentially consistent
 * store of what happened. */
static inline void watch_bell_ring_if_resting(void)
{
    if (atomic_load(&watch_bell_rests)) {
        watch_bell_ring();
    }
}

/* ---- The watcher ---- */

/* From now on who has something to tell rings. What was stored before is seen by whoever looks
 * after this. */
void watch_bell_rest(void);

/* Sleep until then, INT64_MAX: without end; or until it rings. True if it rang since the last
 * call. */
bool watch_bell_wait(int64_t until_ns);

#endif
