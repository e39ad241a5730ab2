/* Clocks in nanoseconds. */

#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define MB_NS_PER_MS INT64_C(1000000)
#define MB_NS_PER_S INT64_C(1000000000)

static inline int64_t mb_clock_read_ns(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * MB_NS_PER_S + now.tv_nsec;
}

/* CLOCK_MONOTONIC. */
static inline int64_t mb_clock_now_ns(void)
{
    return mb_clock_read_ns(CLOCK_MONOTONIC);
}

#endif
