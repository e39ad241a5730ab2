/* What the system knows of a thread of this process: how long it had a processor, and how long it
 * was in the queue for one. System calls: nothing for a probe. */

#ifndef RECORDER_USAGE_H
#define RECORDER_USAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Since the thread began. Zeroed memory is what is known of one that nobody has asked for. */
struct beat_usage {
    uint64_t time;  /* by the trace's clock, when it was asked for, and how long that took, at */
    uint64_t slack; /* most; both the caller's own */
    uint64_t cpu_ns;
    uint64_t queued_ns; /* 0 where that is not known */
    bool knows_queue;
    bool is_known;
};

/* Bring up to date what was known before. A thread that has not run since is not looked up any
 * further. False if the system does not tell, or not the whole this time; usage is of no use
 * then. */
bool beat_usage_read(struct beat_usage *usage, uint32_t thread_id);

/* Out of a line of /proc/PID/task/TID/schedstat: time on a processor and in the queue, in ns, and
 * how often. False for any other text, and for figures that nobody keeps, beside that CPU time. */
bool beat_usage_parse(const char *text, uint64_t cpu_ns, uint64_t *queued_ns);

#endif
