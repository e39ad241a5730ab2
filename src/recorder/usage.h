/* What the system knows of a thread of this process: its CPU time and its time in the run queue.
 * Makes system calls, so never called by a probe. */

#ifndef RECORDER_USAGE_H
#define RECORDER_USAGE_H

#include "abi/tracefile.h"
#include "recorder/profile/profile.h"

/* Totals since the thread began. Zeroed memory is the state before the first read. */
struct beat_usage {
    uint64_t time;  /* by the trace's clock, when it was asked for, and how long that took, at */
    uint64_t slack; /* most; both for beat_usage_ask to say */
    uint64_t cpu_ns;
    uint64_t queued_ns; /* 0 where that is not known */
    bool knows_queue;
    bool is_known;
    bool is_exact; /* the times of all records since the reading before are no tick late */
};

/* Update usage. If the CPU time is unchanged, the queue time is not read again. False if a part
 * cannot be read; usage is then undefined. */
bool beat_usage_read(struct beat_usage *usage, uint32_t thread_id);

/* beat_usage_read, with the time of the reading. Call it before words are copied, so that all
 * words stored by then are among them. Retries if the caller lost its processor in between;
 * false if that goes on. */
bool beat_usage_ask(struct beat_usage *usage, const struct abi_trace_header *header,
                    uint32_t thread_id);

/* True if the thread, which does not run, is in a system call other than those that wait for
 * threads or for time: it reads or writes. False if the system does not tell. */
bool beat_usage_is_io(uint32_t thread_id);

/* What the thread used between two readings. What it had used before its first record, at
 * first_time, is unknown, so the first reading counts the most that is possible since then. */
struct prof_usage beat_usage_since(const struct abi_trace_header *header,
                                   const struct beat_usage *before, const struct beat_usage *usage,
                                   uint64_t first_time);

/* What /proc/PID/task/TID/schedstat tells. Of a thread that runs the first is a tick late. */
struct beat_queue {
    uint64_t ran_ns; /* on a processor */
    uint64_t queued_ns;
};

/* Parse such a line: both, and the number of time slices. False for other text, if the first or the
 * last is 0, as where the kernel does not maintain these figures, or if the first disagrees with
 * cpu_ns, 0 if unknown. */
bool beat_usage_parse(const char *text, uint64_t cpu_ns, struct beat_queue *queue);

/* Read such a file by system calls alone. 1: read; 0: the system does not maintain it; -1: a
 * temporary failure. A probe must not know cpu_ns: when a thread asks for its CPU time, Linux
 * ends its time slice if that is over, and what it waits then is in the probe. */
int beat_usage_read_queue(const char *path, uint64_t cpu_ns, struct beat_queue *queue);

#endif
