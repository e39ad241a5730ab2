#include "base/bell.h"

#include "base/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LONGEST_NS (3600 * MB_NS_PER_S)

_Static_assert(sizeof(struct mb_bell) == sizeof(uint32_t), "a futex is a word");

void mb_bell_ring(struct mb_bell *bell)
{
    if (atomic_exchange(&bell->rang, 1) == 0) {
        (void)syscall(SYS_futex, &bell->rang, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    }
}

static int64_t left_until(int64_t until_ns)
{
    if (until_ns == INT64_MAX) {
        return LONGEST_NS;
    }
    int64_t left = until_ns - mb_clock_now_ns();
    return left < LONGEST_NS ? left : LONGEST_NS;
}

/* False if it is time already. */
static bool sleep_until(struct mb_bell *bell, int64_t until_ns)
{
    int64_t left = left_until(until_ns);

    if (left <= 0) {
        return false;
    }
    /* As this system call has it, however long the C library's time_t is. */
    const struct {
        long seconds;
        long nanoseconds;
    } time = {(long)(left / MB_NS_PER_S), (long)(left % MB_NS_PER_S)};
    (void)syscall(SYS_futex, &bell->rang, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
    return true;
}

bool mb_bell_wait(struct mb_bell *bell, int64_t until_ns)
{
    bool did_ring = false;

    do {
        did_ring = atomic_exchange(&bell->rang, 0) != 0;
    } while (!did_ring && sleep_until(bell, until_ns));
    return did_ring;
}
