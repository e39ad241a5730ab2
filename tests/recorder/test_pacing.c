#include "recorder/drain.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MS INT64_C(1000000)

static struct beat_pacing pacing;
static int64_t now;

static void init(void)
{
    beat_pacing_init(&pacing);
}

TestSuite(pacing, .init = init);

/* The next round comes when it is due, and finds so many of a ring's 1000 words. */
static int64_t pass_round(uint64_t words)
{
    now += pacing.interval_ns;
    beat_pacing_begin_round(&pacing);
    if (words > 0) {
        beat_pacing_note_words(&pacing, words, 1000);
        pacing.drained_words += words;
    }
    beat_pacing_end_round(&pacing, now);
    return pacing.interval_ns;
}

Test(pacing, a_ring_fills_by_a_third)
{
    int64_t words = 0;

    for (int i = 0; i < 50; i++) {
        words = pacing.interval_ns / 20000; /* 50,000 in a second */
        (void)pass_round((uint64_t)words);
    }
    cr_expect(ge(i64, words, 300));
    cr_expect(le(i64, words, 350));
}

Test(pacing, a_busy_ring_is_drained_at_once_and_a_quiet_one_later_and_later)
{
    cr_expect(eq(i64, pass_round(1000), MS / 2), "no sooner");
    cr_expect(eq(i64, pass_round(1), MS));
    cr_expect(eq(i64, pass_round(1), 2 * MS));
    for (int i = 0; i < 10; i++) {
        (void)pass_round(1);
    }
    cr_expect(eq(i64, pass_round(1), 20 * MS), "no later while there are calls");
    for (int i = 0; i < 20; i++) {
        (void)pass_round(0);
    }
    cr_expect(eq(i64, pass_round(0), 100 * MS));
    cr_expect(le(i64, pass_round(1), 20 * MS), "a call ends the rest");
}

Test(pacing, lost_words_make_it_hurry)
{
    for (int i = 0; i < 10; i++) {
        (void)pass_round(1);
    }
    now += pacing.interval_ns;
    beat_pacing_begin_round(&pacing);
    beat_pacing_note_words(&pacing, 1000, 1000);
    pacing.drained_words = 1000;
    pacing.lost_words = 7;
    beat_pacing_end_round(&pacing, now);
    cr_expect(eq(i64, pacing.interval_ns, 20 * MS / 6));
}

Test(pacing, asking_takes_a_hundredth_of_a_core)
{
    cr_expect(not(beat_pacing_usage_is_due(&pacing, false, now, now + 9 * MS)));
    cr_expect(beat_pacing_usage_is_due(&pacing, false, now, now + 10 * MS));
    cr_expect(not(beat_pacing_usage_is_due(&pacing, true, now, now + 99 * MS)));
    cr_expect(beat_pacing_usage_is_due(&pacing, true, now, now + 100 * MS));
    beat_pacing_begin_round(&pacing);
    pacing.asking_ns = MS;
    beat_pacing_end_round(&pacing, now);
    cr_expect(not(beat_pacing_usage_is_due(&pacing, false, now, now + 99 * MS)));
    cr_expect(beat_pacing_usage_is_due(&pacing, false, now, now + 100 * MS));
}

Test(pacing, a_share_lasts_for_two_ticks)
{
    cr_expect(not(beat_pacing_share_is_due(5 * MS, now, now + 19 * MS)));
    cr_expect(beat_pacing_share_is_due(5 * MS, now, now + 20 * MS));
    cr_expect(not(beat_pacing_share_is_due(100 * MS, now, now + 199 * MS)));
    cr_expect(beat_pacing_share_is_due(100 * MS, now, now + 200 * MS));
}
