#include "sampler/group.h"

#include "base/clock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct samp_pace pace;
static int64_t now_ns = 1;
static int64_t cpu_ns;

static void judge_from_now(uint32_t asked_us)
{
    pace.asked_us = asked_us;
    samp_pace_judge(&pace, now_ns, cpu_ns);
}

/* One second in which the process took so much CPU time and the samples cost so much. */
static uint32_t after_second(int64_t used_ns, uint64_t cost_ns)
{
    pace.target_ns += cost_ns;
    now_ns += MB_NS_PER_S;
    cpu_ns += used_ns;
    samp_pace_judge(&pace, now_ns, cpu_ns);
    return samp_pace_interval_us(&pace);
}

Test(pace, doubles_beyond_its_budget_and_comes_back)
{
    judge_from_now(5000);
    cr_assert(eq(u32, after_second(0, 9000000), 5000));
    cr_assert(eq(u32, after_second(0, 11000000), 10000));
    cr_assert(eq(u32, after_second(0, 11000000), 20000));
    cr_assert(eq(u32, after_second(0, 6000000), 20000), "not yet");
    cr_assert(eq(u32, after_second(0, 4000000), 10000));
    cr_assert(eq(u32, after_second(0, 0), 5000));
    cr_assert(eq(u32, after_second(0, 0), 5000), "as asked for");
    cr_assert(eq(u32, pace.widest_us, 20000));
}

Test(pace, has_more_where_several_processors_work)
{
    judge_from_now(5000);
    cr_assert(eq(u32, after_second(4 * MB_NS_PER_S, 39000000), 5000));
    cr_assert(eq(u32, after_second(4 * MB_NS_PER_S, 41000000), 10000));
}

Test(pace, has_twice_as_much_for_short_intervals_and_as_much_for_itself)
{
    judge_from_now(2000);
    pace.own_ns = 19000000;
    cr_assert(eq(u32, after_second(0, 19000000), 2000));
    pace.own_ns = 21000000;
    cr_assert(eq(u32, after_second(0, 0), 4000));
}

Test(pace, has_half_a_percent_of_cpu_time_for_long_intervals)
{
    judge_from_now(50000);
    cr_assert(eq(u32, after_second(MB_NS_PER_S / 2, 2400000), 50000));
    cr_assert(eq(u32, after_second(MB_NS_PER_S / 2, 2600000), 100000));
}

Test(pace, is_irregular_by_an_eighth_at_most)
{
    pace = (struct samp_pace){.asked_us = 8000, .random = 1};
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t sum = 0;

    for (int i = 0; i < 1000; i++) {
        int64_t next = samp_pace_next(&pace, 0);
        least = next < least ? next : least;
        most = next > most ? next : most;
        sum += next;
    }
    cr_assert(ge(i64, least, 7000000));
    cr_assert(le(i64, most, 9000000));
    cr_assert(gt(i64, most - least, 1500000));
    cr_assert(lt(i64, llabs(sum / 1000 - 8000000), 100000));
}

Test(pace, never_comes_if_it_is_off)
{
    cr_assert(eq(i64, samp_pace_next(&pace, 5), INT64_MAX));
}
