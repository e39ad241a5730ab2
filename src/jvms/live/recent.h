/* What happened between two snapshots of one trace (trace.c): which methods took the time,
 * which calls run. */

#ifndef JVMS_LIVE_RECENT_H
#define JVMS_LIVE_RECENT_H

#include "answer/input.h"
#include "answer/sections.h"
#include "base/vec.h"

/* A trace that may still be written, read again and again. A snapshot copies what it needs out of
 * the file, and judges the copies: neither a recorder that goes on writing nor a file that is cut
 * short can pull away what is being read. The words of the rings stay where they are; all that a
 * snapshot tells comes from the profile. */

enum live_state {
    LIVE_WRITTEN, /* by a process that runs */
    LIVE_STOPPED, /* in good order, by a process that still has it and may start anew */
    LIVE_ENDED,   /* in good order; no process has it any more */
    LIVE_LEFT,    /* by a process that ended without stopping it */
};

/* Zeroed memory but for fd -1 can be finished. */
struct live_trace {
    struct answer_source source; /* borrowed */
    int fd;
    uint8_t *image; /* as large as the file; holds what was read of it, zeroes elsewhere */
    size_t size;
    struct answer_trace trace; /* its file lies in image */
    struct mb_buf name_lines;  /* that the trace held when names were loaded */
    struct mb_buf part;        /* of the file, to be compared with the image */
};

/* What the trace said at one time. Zeroed memory is a snapshot of nothing, from the beginning. */
struct live_snapshot {
    uint64_t time; /* in units: all that the profile tells is of before, and open calls last until
                      then */
    enum live_state state;
    struct answer_sections sections; /* of which trees, threads and counts are kept, and of the
                                        last one what is slow */
    MB_VEC(struct abi_profile_thread) threads;
    MB_VEC(struct abi_profile_mute) mutes;
    MB_VEC(uint64_t) lengths; /* of requests (abi/profile.h), in the order of the trace */
    uint64_t refused_words;   /* of threads that got no ring */
    uint32_t late_threads;    /* that had written more by that time than the profile told yet */
};

/* Open a trace, and find its names. MB_BAD_TRACE if it is not one, or has no profile; as
 * answer_trace_load else. Finish also after failure. */
MB_MUST_CHECK enum mb_status
live_trace_open(struct live_trace *live, const struct answer_source *source, struct mb_error *err);

/* Take a snapshot; waits for the recorder's keeper, a tenth of a second at most. MB_BAD_TRACE if
 * the file has become shorter or is a trace no longer. Finish it also after failure. */
MB_MUST_CHECK enum mb_status live_trace_take(struct live_trace *live,
                                             struct live_snapshot *snapshot, struct mb_error *err);

/* Names that the trace got since they were loaded. Views of names of before end here. */
MB_MUST_CHECK enum mb_status live_trace_renew_names(struct live_trace *live, struct mb_error *err);

/* True if its path leads to another file now, or to a longer one: a new recording. */
bool live_trace_is_replaced(const struct live_trace *live);

void live_snapshot_finish(struct live_snapshot *snapshot);
void live_trace_finish(struct live_trace *live);

#define LIVE_NO_METHOD UINT32_MAX

/* One method, over all threads. Times are of the interval, in ns. */
struct live_method {
    uint32_t id;
    uint32_t threads; /* that spent time in it */
    uint32_t inside;  /* threads of which it is the innermost call that runs */
    uint32_t seen_in; /* the last thread that counted, + 1 */
    int64_t own_ns;
    int64_t total_ns;   /* calls inside a call of the same method not counted again */
    int64_t waited_ns;  /* of own_ns, at least: without a processor, unable to run */
    int64_t ready_ns;   /* of own_ns, at least: without one, able to run */
    int64_t running_ns; /* how long the oldest of its calls has been running; 0: none does */
    uint64_t calls;     /* that began */
    uint64_t ended;     /* that ended, */
    int64_t ended_ns;   /* and how long these took, whenever they began */
    int64_t rank;       /* its key in the order of the last sort */
    uint64_t muted;     /* calls until it was muted, since the recording began; 0: it is not */
};

/* One thread, or several of one name that share a tree. */
struct live_thread {
    struct mb_text name; /* of the newer snapshot */
    uint32_t id;
    uint32_t innermost; /* the call that runs, or LIVE_NO_METHOD */
    bool is_ended;
    bool knows_waiting; /* waited_ns is known */
    int64_t busy_ns;    /* inside calls */
    int64_t waited_ns;  /* of that, at least */
    int64_t running_ns; /* how long the innermost call has been running */
    uint64_t calls;
};

/* Calls of one method by another. */
struct live_edge {
    uint32_t caller; /* id, or LIVE_NO_METHOD: outermost calls */
    uint32_t callee;
    int64_t total_ns;
    uint64_t calls;
};

/* Requests of one kind that ended; lengths are right within 2 %. */
struct live_kind {
    uint32_t id;
    uint64_t ended;
    int64_t total_ns;
    int64_t p50_ns;
    int64_t p99_ns;
    uint64_t slow;              /* of these, as far as they were kept */
    struct answer_excess cause; /* of most of the slow; count 0: there are none */
};

/* Zeroed memory can be filled and finished; it keeps its memory from one use to the next. */
struct live_recent {
    int64_t interval_ns;
    int64_t run_ns; /* from the beginning of the recording */
    enum live_state state;
    uint64_t calls;
    uint64_t lost_words;     /* overwritten before the profile had them */
    uint64_t refused_words;  /* of threads that got no ring, in all */
    uint64_t absorbed_calls; /* of chains for which the profile had no room */
    uint64_t damaged;        /* records that make no sense, in all */
    size_t muted;            /* methods, in all */
    size_t newly_muted;
    size_t live_threads;
    size_t busy_threads; /* inside a call at the end */
    uint32_t late_threads;
    MB_VEC(struct live_method) methods; /* those with anything to tell */
    MB_VEC(struct live_thread) threads; /* all */
    MB_VEC(struct live_kind) kinds;     /* most time first */
    MB_VEC(struct live_edge) edges;     /* of focus only */
    uint32_t focus;                     /* set by the caller: the method whose edges are wanted, or
                                         * LIVE_NO_METHOD */
    union mb_numbers index;             /* [id] = row of methods, from 1 */
    struct mb_buf has_open;             /* bool [node]: a call that it made runs */
};

/* From one snapshot to a later one of the same recording. Fails without memory only; finish also
 * after that. */
MB_MUST_CHECK enum mb_status live_recent_find(struct live_recent *recent,
                                              const struct live_snapshot *from,
                                              const struct live_snapshot *to, struct mb_error *err);

/* Fill kinds, as live_recent_find does. (kinds.c) */
void live_find_kinds(struct live_recent *recent, const struct live_snapshot *from,
                     const struct live_snapshot *to);

/* Leave only the kinds that a report tells of, and fill slow and cause; to is the last snapshot
 * that was taken. Fails without memory only. (kinds.c) */
MB_MUST_CHECK enum mb_status live_explain_kinds(struct live_recent *recent,
                                                const struct live_snapshot *from,
                                                const struct live_snapshot *to,
                                                struct answer_names names, struct mb_error *err);

/* Orders of the methods, the greatest first. */
enum live_order {
    LIVE_BY_WORK, /* own time that was not waiting */
    LIVE_BY_OWN,
    LIVE_BY_WAITED,
    LIVE_BY_TOTAL,
    LIVE_BY_CALLS,
    LIVE_BY_MEAN,
    LIVE_BY_THREADS,
};

/* Sort methods, threads by what they did, and edges by their time. */
void live_recent_sort(struct live_recent *recent, enum live_order order);

/* 0: no call ended. */
int64_t live_method_mean(const struct live_method *method);

void live_recent_finish(struct live_recent *recent);

#endif
