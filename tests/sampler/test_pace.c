#include "sampler/pace.h"

#include "base/clock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define SECOND MB_NS_PER_S

/* One second in which the process took so much CPU time and the samples cost so much. */
static uint32_t after_second(struct samp_pace *pace, int64_t *now_ns, int64_t *cpu_ns,
                             int64_t used_ns, uint64_t cost_ns)
{
    pace->cost_ns += cost_ns;
    *now_ns += SECOND;
    *cpu_ns += used_ns;
    samp_pace_judge(pace, *now_ns, *cpu_ns);
    return samp_pace_interval_us(pace);
}

Test(pace, doubles_beyond_its_budget_and_comes_back)
{
    struct samp_pace pace = {.asked_us = 5000};
    int64_t now_ns = 1;
    int64_t cpu_ns = 0;

    samp_pace_judge(&pace, now_ns, cpu_ns);
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 0, 9000000), 5000));
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 0, 11000000), 10000));
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 0, 11000000), 20000));
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 0, 6000000), 20000), "not yet");
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 0, 4000000), 10000));
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 0, 0), 5000));
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 0, 0), 5000), "as asked for");
    cr_assert(eq(u32, pace.widest_us, 20000));
}

Test(pace, has_more_where_several_processors_work)
{
    struct samp_pace pace = {.asked_us = 5000};
    int64_t now_ns = 1;
    int64_t cpu_ns = 0;

    samp_pace_judge(&pace, now_ns, cpu_ns);
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 4 * SECOND, 39000000), 5000));
    cr_assert(eq(u32, after_second(&pace, &now_ns, &cpu_ns, 4 * SECOND, 41000000), 10000));
}

Test(pace, is_irregular_by_an_eighth_at_most)
{
    struct samp_pace pace = {.asked_us = 8000, .random = 1};
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
    struct samp_pace pace = {0};

    cr_assert(eq(i64, samp_pace_next(&pace, 5), INT64_MAX));
}
