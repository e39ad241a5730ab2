/* The CPU's counter, read without serialising: the order of two reads on one thread is the
 * program's to within a few nanoseconds, which is finer than the unit that records keep. */

#ifndef RECORDER_COUNTER_H
#define RECORDER_COUNTER_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#define BEAT_HAS_COUNTER 1

static inline uint64_t beat_counter(void)
{
    return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)
#define BEAT_HAS_COUNTER 1

static inline uint64_t beat_counter(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

#else
#define BEAT_HAS_COUNTER 0

static inline uint64_t beat_counter(void)
{
    return 0;
}

#endif

#endif
