#include "base/clock.h"
#include "monitor/stall.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MS MB_NS_PER_MS

static struct mon_options options;
static struct mon_gaps gaps;
static struct mon_messages messages;

static void set_up(void)
{
    mon_options_init(&options);
    gaps.count = 0;
    messages.count = 0;
}

TestSuite(message, .init = set_up);

static struct mon_lengths measure(int64_t begin_ms, int64_t stretch_ms, int64_t nested_ms,
                                  int64_t end_ms, bool is_open)
{
    const struct mon_slow slow = {.begin_ns = begin_ms * MS,
                                  .stretch_ns = stretch_ms * MS,
                                  .nested_ns = nested_ms * MS,
                                  .is_open = is_open};

    return mon_measure(&messages, &slow, end_ms * MS, &gaps);
}

Test(message, own_time_is_without_nested_ones)
{
    struct mon_lengths lengths = measure(0, 9000, 8000, 10000, false);

    cr_assert(eq(i64, lengths.stretch_ns, 1000 * MS));
    cr_assert(eq(i64, lengths.own_ns, 2000 * MS));
}

Test(message, while_open_has_no_own_time)
{
    struct mon_lengths lengths = measure(0, 0, 0, 3000, true);

    cr_assert(eq(i64, lengths.stretch_ns, 3000 * MS));
    cr_assert(eq(i64, lengths.own_ns, 0));
    cr_assert(eq(int, mon_judge(&options, &lengths, true), MON_LAG));
}

/* 20 s stopped in the first stretch and 5 s in the nested message: 1 s + 1 s were its own. */
Test(message, gaps_count_where_they_lie)
{
    (void)mon_gaps_add(&gaps, 500 * MS, 20500 * MS);
    (void)mon_gaps_add(&gaps, 22000 * MS, 27000 * MS);
    cr_assert(eq(i64, measure(0, 0, 0, 21000, true).stretch_ns, 1000 * MS));
    cr_assert(eq(i64, measure(21000, 21000, 0, 28000, false).own_ns, 2000 * MS));
    cr_assert(eq(i64, measure(0, 28000, 7000, 29000, false).own_ns, 2000 * MS));
    cr_assert(eq(u32, messages.count, 0));
}

Test(message, deeper_than_is_known_is_judged_too)
{
    for (int64_t i = 0; i < 20; i++) {
        (void)measure(i * 1000, i * 1000, 0, (i + 1) * 1000, true);
    }
    cr_assert(eq(u32, messages.count, MON_OPEN_MESSAGES));
    cr_assert(eq(i64, measure(0, 20000, 19000, 21000, false).own_ns, 2000 * MS));
    cr_assert(eq(u32, messages.count, 0), "all others began later");
}

Test(message, is_judged_by_the_worst)
{
    const struct mon_lengths lag = {.stretch_ns = 2000 * MS, .own_ns = 9000 * MS};
    const struct mon_lengths slow = {.stretch_ns = 100 * MS, .own_ns = 700 * MS};
    const struct mon_lengths fine = {.stretch_ns = 699 * MS, .own_ns = 699 * MS};
    const struct mon_lengths background = {.stretch_ns = 7000 * MS, .own_ns = 7000 * MS};

    cr_assert(eq(int, mon_judge(&options, &lag, true), MON_LAG));
    cr_assert(eq(int, mon_judge(&options, &slow, true), MON_NORMAL));
    cr_assert(eq(int, mon_judge(&options, &fine, true), MON_NOTHING));
    cr_assert(eq(int, mon_judge(&options, &background, true), MON_ANR));
    cr_assert(eq(int, mon_judge(&options, &background, false), MON_LAG));
    options.evil_enable = false;
    cr_assert(eq(int, mon_judge(&options, &slow, true), MON_NOTHING));
}
