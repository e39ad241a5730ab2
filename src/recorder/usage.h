/* What the system knows of a thread of this process: how long it had a processor, and how long it
 * was in the queue for one. System calls: nothing for a probe. */

#ifndef RECORDER_USAGE_H
#define RECORDER_USAGE_H

#include "abi/tracefile.h"
#include "profile/profile.h"

/* Since the thread began. Zeroed memory is what is known of one that nobody has asked for. */
struct beat_usage {
    uint64_t time;  /* by the trace's clock, when it was asked for, and how long that took, at */
    uint64_t slack; /* most; both for beat_usage_ask to say */
    uint64_t cpu_ns;
    uint64_t queued_ns; /* 0 where that is not known */
    bool knows_queue;
    bool is_known;
};

/* Bring up to date what was known before. A thread that has not run since is not looked up any
 * further. False if the system does not tell, or not the whole this time; usage is of no use
 * then. */
bool beat_usage_read(struct beat_usage *usage, uint32_t thread_id);

/* The same, and when that was. Before words are copied: all that were stored by then come with
 * them. Asked again where we lost the processor in between; false if that goes on. */
bool beat_usage_ask(struct beat_usage *usage, const struct abi_trace_header *header,
                    uint32_t thread_id);

/* What the thread used from one of these to the next. What it had used when its first record came,
 * at first_time, is not known: until the first answer, as much as it could at most. */
struct prof_usage beat_usage_since(const struct abi_trace_header *header,
                                   const struct beat_usage *before, const struct beat_usage *usage,
                                   uint64_t first_time);

/* Out of a line of /proc/PID/task/TID/schedstat: time on a processor and in the queue, in ns, and
 * how often. False for any other text, and for figures that nobody keeps, beside that CPU time. */
bool beat_usage_parse(const char *text, uint64_t cpu_ns, uint64_t *queued_ns);

#endif
