/* Clocks of the monitors beside base/clock.h, in ns of CLOCK_MONOTONIC unless it says otherwise. */

#ifndef MONITOR_WATCH_CLOCK_H
#define MONITOR_WATCH_CLOCK_H

#include "base/clock.h"

/* CLOCK_MONOTONIC as of its last tick: lags by up to its resolution, and read in a seventh of the
 * time. */
static inline int64_t watch_clock_coarse_ns(void)
{
    return mb_clock_read_ns(CLOCK_MONOTONIC_COARSE);
}

/* Of the coarse clock; a second before it was asked for. */
int64_t watch_clock_resolution_ns(void);
void watch_clock_init(void);

/* For how long the machine has slept since it started. */
int64_t watch_clock_suspended_ns(void);

/* CPU clocks: of the calling thread, of a thread of this process (-1: it has ended), and of the
 * process. */
int64_t watch_thread_cpu_ns(void);
int64_t watch_cpu_ns_of(int32_t thread_id);
int64_t watch_process_cpu_ns(void);

#endif
