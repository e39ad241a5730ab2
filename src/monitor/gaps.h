/* Stretches of time for which the watcher was stopped (freezer, suspend, SIGSTOP, debugger): what
 * lasted through them was not seen to. */

#ifndef MONITOR_GAPS_H
#define MONITOR_GAPS_H

#include <stdint.h>

#define MON_GAP_COUNT 64u

struct mon_gap {
    int64_t from_ns;
    int64_t to_ns;
};

/* Zeroed memory has none. The oldest goes when a new one finds no room. */
struct mon_gaps {
    struct mon_gap gaps[MON_GAP_COUNT];
    uint32_t count; /* ever */
};

/* Stretches come in order of time; what overlaps the last one is cut off. Returns its length. */
int64_t mon_gaps_add(struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

/* How much of [from, to] is gap. */
int64_t mon_gaps_within(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

/* to - from without its gaps; 0 at least. */
int64_t mon_watched(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

#endif
