/* The clocks of the monitors, in ns of CLOCK_MONOTONIC unless it says otherwise. */

#ifndef WATCH_CLOCK_H
#define WATCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#define WATCH_MS INT64_C(1000000)
#define WATCH_SECOND (1000 * WATCH_MS)

static inline int64_t watch_clock_read_ns(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * WATCH_SECOND + now.tv_nsec;
}

static inline int64_t watch_clock_now_ns(void)
{
    return watch_clock_read_ns(CLOCK_MONOTONIC);
}

/* The same clock as of its last tick: behind by up to its resolution, and read in a seventh of the
 * time. */
static inline int64_t watch_clock_coarse_ns(void)
{
    return watch_clock_read_ns(CLOCK_MONOTONIC_COARSE);
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
