#include "watch/bell.h"

#include "watch/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LONGEST_NS (3600 * WATCH_SECOND)

_Atomic(bool) watch_bell_rests;

/* 1: it rang. A futex, since a semaphore waits on the wall clock, which may be set. */
static _Atomic(uint32_t) rang;

_Static_assert(sizeof(rang) == sizeof(uint32_t), "a futex is a word");

void watch_bell_ring(void)
{
    atomic_store(&watch_bell_rests, false);
    if (atomic_exchange(&rang, 1) == 0) {
        (void)syscall(SYS_futex, &rang, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    }
}

void watch_bell_rest(void)
{
    atomic_store(&watch_bell_rests, true);
}

static bool sleep_until(int64_t until_ns)
{
    int64_t left = until_ns == INT64_MAX ? LONGEST_NS : until_ns - watch_clock_now_ns();

    if (left <= 0) {
        return false;
    }
    left = left < LONGEST_NS ? left : LONGEST_NS;
    const struct timespec time = {.tv_sec = (time_t)(left / WATCH_SECOND),
                                  .tv_nsec = (long)(left % WATCH_SECOND)};
    (void)syscall(SYS_futex, &rang, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
    return true;
}

bool watch_bell_wait(int64_t until_ns)
{
    bool did_ring = false;

    do {
        did_ring = atomic_exchange(&rang, 0) != 0;
    } while (!did_ring && sleep_until(until_ns));
    atomic_store(&watch_bell_rests, false);
    return did_ring;
}
