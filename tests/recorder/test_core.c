/* The lock that a signal handler's probe never waits for, and the one line that is said. */

#include "abi/record.h"
#include "base/clock.h"
#include "recorder/clock.h"
#include "recorder/core.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static size_t count_records(void)
{
    uint64_t words[16];
    size_t count = 16;

    return beat_copy(NULL, BEAT_SELF, words, &count) ? count : 0;
}

/* A handler may come between the two calls; waiting would be for ever. */
Test(core, probes_under_the_lock_are_let_go, .timeout = 20)
{
    struct beat_options options = traces_options(NULL);

    cr_assert(beat_start(&options));
    beat_i(1);
    cr_assert(eq(sz, count_records(), 1));
    beat_stop();
    cr_assert(beat_start(&options));
    struct beat_recorder *recorder = beat_lock();
    cr_expect(eq(ptr, recorder, &beat_recorder));
    beat_i(2); /* its session is over: it would attach to the next, under the lock */
    beat_unlock(recorder);
    beat_i(3);
    cr_expect(eq(sz, count_records(), 1));
    beat_stop();
}

static void *hold_lock(void *turns)
{
    struct beat_recorder *recorder = beat_lock();

    (void)pthread_barrier_wait(turns);
    (void)pthread_barrier_wait(turns);
    beat_unlock(recorder);
    return NULL;
}

/* A thread whose signals come faster than it waits would do nothing but handle them, and may have
 * what the holder of the lock waits for. */
Test(core, a_probe_that_waited_in_vain_waits_no_more, .timeout = 60)
{
    pthread_barrier_t turns;
    pthread_t holder;

    cr_assert(zero(int, pthread_barrier_init(&turns, NULL, 2)));
    cr_assert(zero(int, pthread_create(&holder, NULL, hold_lock, &turns)));
    (void)pthread_barrier_wait(&turns);
    beat_thread.has_waited = true;
    int64_t before = beat_clock_monotonic_ns();
    cr_expect(eq(ptr, beat_lock_for_probe(), NULL));
    cr_expect(lt(i64, beat_clock_monotonic_ns() - before, MB_NS_PER_S));
    cr_expect(beat_thread.has_waited);
    (void)pthread_barrier_wait(&turns);
    cr_expect(zero(int, pthread_join(holder, NULL)));
    struct beat_recorder *recorder = beat_lock_for_probe();
    cr_assert(eq(ptr, recorder, &beat_recorder));
    cr_expect(not(beat_thread.has_waited));
    beat_unlock(recorder);
}

static uint32_t present(void)
{
    struct beat_recorder *recorder = beat_lock();
    uint32_t session = beat_present(recorder);

    beat_unlock(recorder);
    return session;
}

/* Odd ones are open. */
Test(core, sessions_are_numbered)
{
    struct beat_options options = traces_options(NULL);

    cr_expect(eq(u32, present(), BEAT_FIRST_IDLE));
    for (int i = 0; i < 3; i++) {
        uint32_t before = present();
        cr_assert(beat_start(&options));
        cr_expect(eq(u32, present() & 1, 1));
        cr_expect(present() > before);
        beat_stop();
        cr_expect(eq(u32, present() & 1, 0));
    }
}

Test(core, a_thread_without_a_ring_stores_nothing)
{
    cr_expect(eq(ptr, beat_thread.cursor, &beat_nobody));
    cr_expect(eq(u64, atomic_load(&beat_nobody.low_index), BEAT_CLOSED));
    cr_expect(eq(u64, beat_nobody.capacity, 0));
}

Test(core, a_line_goes_to_who_wants_it)
{
    struct beat_options options = traces_options(NULL);
    char name[600];

    beat_log(&options, "%d of %s", 7, "these");
    cr_expect_str_eq(traces_log, "7 of these");
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    beat_log(&options, "%s", name); /* cut, and no more */
    cr_expect(eq(int, strncmp(traces_log, name, sizeof(traces_log) - 1), 0));
}

Test(core, or_to_standard_error, .init = cr_redirect_stderr)
{
    const struct beat_options options = {.log = NULL};

    beat_log(&options, "%d of %s", 7, "these");
    (void)fflush(stderr);
    cr_assert_stderr_eq_str("methodbeat: 7 of these\n");
}
