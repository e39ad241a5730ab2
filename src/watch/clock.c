#include "watch/clock.h"

#include <stdatomic.h>

/* The kernel's clock of a thread id (linux/posix-timers.h), as from pthread_getcpuclockid, but safe
 * for a thread that has ended. */
#define THREAD_CLOCK(thread_id) ((clockid_t)(~(uint32_t)(thread_id) << 3 | 6u))

static _Atomic(int64_t) resolution_ns = WATCH_SECOND;

int64_t watch_clock_resolution_ns(void)
{
    return atomic_load_explicit(&resolution_ns, memory_order_relaxed);
}

void watch_clock_init(void)
{
    struct timespec step = {.tv_sec = 1};

    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &step);
    atomic_store_explicit(&resolution_ns, (int64_t)step.tv_sec * WATCH_SECOND + step.tv_nsec,
                          memory_order_relaxed);
}

int64_t watch_clock_suspended_ns(void)
{
    return watch_clock_read_ns(CLOCK_BOOTTIME) - watch_clock_now_ns();
}

int64_t watch_thread_cpu_ns(void)
{
    return watch_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t watch_cpu_ns_of(int32_t thread_id)
{
    struct timespec used;

    if (clock_gettime(THREAD_CLOCK(thread_id), &used) != 0) {
        return -1;
    }
    return (int64_t)used.tv_sec * WATCH_SECOND + used.tv_nsec;
}

int64_t watch_process_cpu_ns(void)
{
    return watch_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}
