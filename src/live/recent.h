/* What happened between two snapshots of one trace (live/trace.h): which methods took the time,
 * which calls run. */

#ifndef LIVE_RECENT_H
#define LIVE_RECENT_H

#include "base/vec.h"
#include "live/trace.h"

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
