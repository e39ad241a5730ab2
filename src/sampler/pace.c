#include "sampler/group.h"

#include "base/clock.h"

#include <stdbool.h>

#define BUDGET 100       /* a hundredth, */
#define FINE_US 2000u    /* or two for those who ask for this or less, */
#define COARSE_US 50000u /* or a half, of CPU time alone, for those who ask for this or more */
#define MOST_US 1000000u /* however dear samples are */
#define JITTER_SHARE 8u

uint32_t samp_pace_interval_us(const struct samp_pace *pace)
{
    return pace->now_us > pace->asked_us ? pace->now_us : pace->asked_us;
}

static void change_interval(struct samp_pace *pace, uint64_t cost_ns, uint64_t budget_ns)
{
    uint32_t interval = samp_pace_interval_us(pace);

    if (cost_ns > budget_ns && interval < MOST_US) {
        interval *= 2;
    } else if (cost_ns < budget_ns / 2 && interval > pace->asked_us) {
        interval /= 2;
    }
    pace->now_us = interval;
    pace->widest_us = samp_pace_interval_us(pace) > pace->widest_us ? samp_pace_interval_us(pace)
                                                                    : pace->widest_us;
}

void samp_pace_judge(struct samp_pace *pace, int64_t now_ns, int64_t process_cpu_ns)
{
    int64_t wall_ns = now_ns - pace->since_ns;
    int64_t cpu_ns = process_cpu_ns - pace->since_cpu_ns;

    if (pace->since_ns != 0 && wall_ns < MB_NS_PER_S) {
        return;
    }
    if (pace->since_ns != 0) {
        bool is_sparing = pace->asked_us >= COARSE_US;
        uint64_t sum_ns = pace->target_ns + pace->own_ns;
        uint64_t cost_ns = pace->target_ns > pace->own_ns ? pace->target_ns : pace->own_ns;
        uint64_t share = pace->asked_us <= FINE_US ? 2 : 1;
        change_interval(pace, is_sparing ? 2 * sum_ns : cost_ns,
                        share * (uint64_t)(is_sparing || cpu_ns > wall_ns ? cpu_ns : wall_ns) /
                            BUDGET);
    }
    pace->target_ns = 0;
    pace->own_ns = 0;
    pace->since_ns = now_ns;
    pace->since_cpu_ns = process_cpu_ns;
}

static uint32_t next_random(struct samp_pace *pace)
{
    pace->random = pace->random * 1664525u + 1013904223u;
    return pace->random >> 8;
}

int64_t samp_pace_next(struct samp_pace *pace, int64_t now_ns)
{
    int64_t interval_ns = (int64_t)samp_pace_interval_us(pace) * 1000;
    int64_t most = interval_ns / JITTER_SHARE;

    if (pace->asked_us == 0) {
        return INT64_MAX;
    }
    return now_ns + interval_ns - most + (int64_t)(next_random(pace) % (uint32_t)(2 * most));
}
