#include "base/bell.h"

#include "base/clock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)

static struct mb_bell bell;

Test(bell, that_rang_before_is_heard_once)
{
    mb_bell_ring(&bell);
    mb_bell_ring(&bell);
    cr_assert(mb_bell_wait(&bell, INT64_MAX));
    cr_assert(not(mb_bell_wait(&bell, 0)));
}

Test(bell, that_does_not_ring_lets_sleep_until_then)
{
    int64_t until = mb_clock_now_ns() + 20 * MS;

    cr_assert(not(mb_bell_wait(&bell, until)));
    cr_assert(ge(i64, mb_clock_now_ns(), until));
}

static void *ring(void *unused)
{
    (void)usleep(10000);
    mb_bell_ring(&bell);
    return unused;
}

Test(bell, wakes_who_waits_without_end, .timeout = 60)
{
    pthread_t thread;

    cr_assert(eq(int, pthread_create(&thread, NULL, ring, NULL), 0));
    cr_assert(mb_bell_wait(&bell, INT64_MAX));
    (void)pthread_join(thread, NULL);
}
