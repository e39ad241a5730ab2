/* Pauses that no method explains: collections of garbage, the container's limit of CPU time, a
 * process that was stopped. */

#ifndef RECORDER_PAUSES_H
#define RECORDER_PAUSES_H

#include "abi/profile.h"
#include "abi/section.h"
#include "recorder/usage.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed memory keeps none. Under the drain's lock. */
struct beat_pauses {
    struct abi_trace_section *section;
    struct abi_profile_pause *rows;
    uint32_t room;         /* rows that have disk blocks */
    int64_t asked_ns;      /* when the container's limit was read, and */
    uint64_t throttled_ns; /* for how long threads had been kept by it */
    bool is_limited;       /* there is a limit */
    int64_t watched_ns;    /* when the keeper's own usage was read: */
    struct beat_usage self;
};

/* A pause of all threads, in ns on CLOCK_MONOTONIC. Any thread, also while a JVM has stopped its
 * others; one that is shorter than a millisecond, or finds the queue full, is not kept. */
void beat_pause_note(enum abi_pause_kind kind, int64_t start_ns, int64_t end_ns);

/* Once a round of the keeper: take what was noted, and look what the system tells. late_ns is how
 * much later the round began than was planned. */
void beat_pauses_take(struct beat_pauses *pauses, const struct abi_trace_header *header,
                      int64_t late_ns);

/* For how long the text of a cpu.stat, of either version of cgroups, says that threads were kept;
 * false without a limit. */
bool beat_pauses_parse(const char *text, uint64_t *throttled_ns);

#endif
