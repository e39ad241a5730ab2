#include "recorder/readings.h"

#include "recorder/clock.h"
#include "recorder/core.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <unistd.h>

/* Whatever the coarse clock does between. */
Test(readings, of_the_clock_are_exact_at_both_ends_of_requests)
{
    struct beat_options options;

    beat_options_init(&options);
    options.clock = BEAT_CLOCK_COARSE;
    options.tick_ms = 1000;
    cr_assert(beat_start(&options));
    beat_time(5, BEAT_TIMED);
    const struct abi_trace_header *header = beat_recorder.header;
    for (int i = 0; i < 3; i++) {
        (void)usleep(2000);
        beat_i(4);
        uint64_t before = beat_clock_now(header);
        beat_i(5);
        cr_expect(ge(u64, atomic_load(&header->coarse_time), before));
        beat_o(5);
        beat_o(4);
    }
    beat_stop();
    beat_i(5); /* without a session */
}

/* By the thread itself, before the words of methods that are timed. */
Test(readings, are_taken_at_both_ends_of_requests)
{
    struct beat_options options;
    uint32_t session = 0;
    uint64_t before = 0;
    uint64_t after = 0;

    beat_options_init(&options);
    cr_assert(beat_start(&options));
    beat_i(4);
    beat_time(5, BEAT_WATCHED);
    errno = EAGAIN;
    beat_i(5);
    beat_o(5);
    cr_expect(eq(int, errno, EAGAIN));
    session = atomic_load(&beat_recorder.session);
    uint32_t claim = beat_thread.claim;
    const struct prof_readings *readings = beat_readings_of(BEAT_MAIN_RING, session, &claim);
    cr_assert(readings != NULL);
    cr_expect(not(prof_readings_find(readings, claim, 0, &before)), "the other is not timed");
    cr_expect(prof_readings_find(readings, claim, 1, &before));
    cr_expect(prof_readings_find(readings, claim, 2, &after));
    cr_expect(le(u64, before, after));
    claim = beat_thread.claim;
    (void)beat_readings_of(BEAT_MAIN_RING, session + 2, &claim);
    cr_expect(not(prof_readings_find(readings, claim, 1, &before)), "nor is it of another session");
    beat_stop();
}
