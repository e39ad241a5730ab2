/* Clocks in nanoseconds. */

#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define MB_NS_PER_US INT64_C(1000)
#define MB_NS_PER_MS INT64_C(1000000)
#define MB_NS_PER_S INT64_C(1000000000)

static inline int64_t mb_clock_read_ns(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * MB_NS_PER_S + now.tv_nsec;
}

/* CPU time of a thread of this process, by its clock as the kernel numbers them. False: it has
 * ended. */
static inline bool mb_clock_read_thread(uint32_t thread_id, uint64_t *cpu_ns)
{
    struct timespec used;

    if (clock_gettime((clockid_t)(~thread_id << 3 | 6), &used) != 0) {
        return false;
    }
    *cpu_ns = (uint64_t)((int64_t)used.tv_sec * MB_NS_PER_S + used.tv_nsec);
    return true;
}

/* CLOCK_MONOTONIC. */
static inline int64_t mb_clock_now_ns(void)
{
    return mb_clock_read_ns(CLOCK_MONOTONIC);
}

#endif
