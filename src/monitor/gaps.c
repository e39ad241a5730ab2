#include "monitor/gaps.h"

#include "base/number.h"

int64_t mon_gaps_add(struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns)
{
    int64_t from = gaps->count > 0
                       ? mb_max_i64(from_ns, gaps->gaps[(gaps->count - 1) % MON_GAP_COUNT].to_ns)
                       : from_ns;

    if (to_ns <= from) {
        return 0;
    }
    gaps->gaps[gaps->count++ % MON_GAP_COUNT] = (struct mon_gap){from, to_ns};
    return to_ns - from;
}

int64_t mon_gaps_within(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns)
{
    uint32_t count = gaps->count < MON_GAP_COUNT ? gaps->count : MON_GAP_COUNT;
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t from = mb_max_i64(from_ns, gaps->gaps[i].from_ns);
        int64_t to = mb_min_i64(to_ns, gaps->gaps[i].to_ns);
        sum += to > from ? to - from : 0;
    }
    return sum;
}

int64_t mon_watched(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns)
{
    int64_t watched = to_ns - from_ns - mon_gaps_within(gaps, from_ns, to_ns);

    return watched > 0 ? watched : 0;
}
