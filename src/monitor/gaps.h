/* Gaps: times for which the watcher was stopped (freezer, suspend, SIGSTOP, debugger). They do not
 * count as duration of a stall. */

#ifndef MONITOR_GAPS_H
#define MONITOR_GAPS_H

#include <stdint.h>

#define MON_GAP_COUNT 64u

struct mon_gap {
    int64_t from_ns;
    int64_t to_ns;
};

/* Start with zeroed memory. A new gap without room replaces the oldest. */
struct mon_gaps {
    struct mon_gap gaps[MON_GAP_COUNT];
    uint32_t count; /* ever */
};

/* Add gaps in order of time; an overlap with the last gap is cut off. Returns the added length. */
int64_t mon_gaps_add(struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

/* How much of [from, to] is gap. */
int64_t mon_gaps_within(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

/* to - from without its gaps; 0 at least. */
int64_t mon_watched(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

#endif
