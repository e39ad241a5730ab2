#include "monitor/watch/clock.h"

#include "base/clock.h"

#include <stdatomic.h>

static _Atomic(int64_t) resolution_ns = MB_NS_PER_S;

int64_t watch_clock_resolution_ns(void)
{
    return atomic_load_explicit(&resolution_ns, memory_order_relaxed);
}

void watch_clock_init(void)
{
    struct timespec step = {.tv_sec = 1};

    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &step);
    atomic_store_explicit(&resolution_ns, (int64_t)step.tv_sec * MB_NS_PER_S + step.tv_nsec,
                          memory_order_relaxed);
}

int64_t watch_clock_suspended_ns(void)
{
    return mb_clock_read_ns(CLOCK_BOOTTIME) - mb_clock_now_ns();
}

int64_t watch_thread_cpu_ns(void)
{
    return mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t watch_cpu_ns_of(int32_t thread_id)
{
    uint64_t used_ns;

    return mb_clock_read_thread((uint32_t)thread_id, &used_ns) ? (int64_t)used_ns : -1;
}

int64_t watch_process_cpu_ns(void)
{
    return mb_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}
