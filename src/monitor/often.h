/* Frequent stalls: many of a length within a minute are as bad as a long one. */

#ifndef MONITOR_OFTEN_H
#define MONITOR_OFTEN_H

#include "monitor/monitor.h"

struct mon_often_stall {
    int64_t end_ns;
    int64_t length_ns;
    uint64_t key;                    /* of its stack; 0: no stack */
    const struct mon_frames *frames; /* NULL if none */
    bool is_told;                    /* it has an issue of its own: limits of 1 need no other */
};

struct mon_often_row {
    uint32_t count; /* since the last alarm */
    int64_t ends[MON_LIMIT_STALLS];
    int64_t lengths[MON_LIMIT_STALLS];
    uint64_t keys[MON_LIMIT_STALLS];
    struct mon_frames frames[MON_LIMIT_STALLS];
};

/* Start with zeroed memory. */
struct mon_often {
    struct mon_often_row rows[MON_LIMIT_COUNT];
};

/* Bit i of the result: limit i is reached with this stall, and needs as many new ones for the next
 * time. */
uint32_t mon_often_add(struct mon_often *often, const struct mon_often_stall *stall,
                       const struct mon_options *options);

/* For a limit that was just reached: the latest stack of the most frequent key among its stalls.
 * NULL without stacks. Valid until the next add. */
const struct mon_frames *mon_often_stack(const struct mon_often *often, uint32_t limit,
                                         const struct mon_options *options);

/* Of such a limit: when the first of its stalls began, and how long all took. Until the next
 * add. */
void mon_often_times(const struct mon_often *often, uint32_t limit,
                     const struct mon_options *options, int64_t *begin_ns, int64_t *total_ns);

#endif
