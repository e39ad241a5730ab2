#include "recorder/readings.h"

#include "recorder/core.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <unistd.h>

/* By the thread itself, before the words of methods that are timed. */
Test(readings, are_taken_at_both_ends_of_requests)
{
    struct beat_options options;
    uint32_t session = 0;
    struct prof_read before = {0};
    struct prof_read after = {0};

    beat_options_init(&options);
    options.tick_ms = 1000;
    cr_assert(beat_start(&options));
    beat_i(4);
    beat_time(5, true);
    errno = EAGAIN;
    beat_i(5);
    (void)usleep(2000);
    beat_o(5);
    cr_expect(eq(int, errno, EAGAIN));
    session = atomic_load(&beat_recorder.session);
    uint32_t claim = beat_thread.claim;
    const struct prof_readings *readings = beat_readings_of(BEAT_MAIN_RING, session, &claim);
    cr_assert(readings != NULL);
    cr_expect(not(prof_readings_find(readings, claim, 0, &before)), "the other is not timed");
    cr_expect(prof_readings_find(readings, claim, 1, &before));
    cr_expect(prof_readings_find(readings, claim, 2, &after));
    cr_expect(le(u64, before.ready_ns, after.ready_ns));
    cr_expect(ge(u64, after.time_ns - before.time_ns, 2000000), "whatever the coarse clock does");
    claim = beat_thread.claim;
    (void)beat_readings_of(BEAT_MAIN_RING, session + 2, &claim);
    cr_expect(not(prof_readings_find(readings, claim, 1, &before)), "nor is it of another session");
    beat_stop();
}
