/* The latest samples of a stall, and the stack that explains it best. */

#ifndef MONITOR_HOTTEST_H
#define MONITOR_HOTTEST_H

#include "monitor/gaps.h"
#include "monitor/monitor.h"

#define MON_SAMPLE_COUNT 20u

struct mon_sample {
    int64_t at_ns;
    uint32_t top; /* mon_top */
    struct mon_frames frames;
};

/* A ring; zeroed memory is empty. */
struct mon_samples {
    struct mon_sample samples[MON_SAMPLE_COUNT];
    uint32_t count; /* ever */
};

/* Times must not decrease. */
void mon_samples_add(struct mon_samples *samples, int64_t at_ns, const struct mon_frames *frames,
                     uint32_t top);

/* The weight of a sample is the time until the next sample, or until end_ns, without gaps. Samples
 * with the same top function form one stack; the stack of the greatest weight wins, among equals
 * the latest. frames is its latest sample; NULL without samples. */
void mon_find_hottest(const struct mon_samples *samples, int64_t end_ns,
                      const struct mon_gaps *gaps, struct mon_hottest *hottest);

#endif
