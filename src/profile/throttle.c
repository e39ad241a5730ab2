#include "profile/profile.h"

/* What a method was like at its start, cold, counts for less than what it is like now; but one that
 * has mattered is not given up for a while of little calls. */
#define ONCE_FACTOR 4u

static uint64_t without_probes(uint64_t total, uint64_t calls, uint64_t probe_units)
{
    uint64_t probes = calls * probe_units;

    return total > probes ? total - probes : 0;
}

bool prof_is_cheap(struct prof_method *method, const struct prof_limit *limits, size_t limit_count,
                   uint64_t probe_units)
{
    uint64_t calls = method->calls - method->checked_calls;
    uint64_t total = method->total - method->checked_total;
    uint64_t now = without_probes(total, calls, probe_units);
    uint64_t ever = without_probes(method->total, method->calls, probe_units);

    if (calls == 0) {
        return false;
    }
    method->checked_calls = method->calls;
    method->checked_total = method->total;
    for (size_t i = 0; i < limit_count; i++) {
        uint64_t mean = limits[i].mean_units;
        if (method->calls > limits[i].calls && now < calls * mean &&
            ever < method->calls * mean * ONCE_FACTOR) {
            return true;
        }
    }
    return false;
}
