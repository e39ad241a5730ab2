/* The samples of a trace by thread, and those of a thread as calls.
 *
 * A sample stands for half an interval before it and after it. What two neighbours have in common,
 * call for call by method and place in the caller's code, went on between them; the change is in
 * the middle. Where they lie more than TRACE_GAP intervals apart nothing is known, and no sampled
 * call goes on. */

#ifndef TRACE_SAMPLES_H
#define TRACE_SAMPLES_H

#include "abi/sampling.h"
#include "base/vec.h"
#include "trace/trace.h"

#define TRACE_GAP 3u
#define TRACE_SAMPLED_FRAMES (1u << 23) /* come into view, at most: more are left out */

/* Which methods record: a frame of one, and what it calls, is its caller's own time. */
struct trace_probes {
    bool (*is_probe)(const void *context, uint32_t id); /* NULL: none is */
    const void *context;
};

/* One stack, from time to until; in units of the trace's words. */
struct trace_sample {
    uint64_t time;
    uint64_t until;
    uint32_t interval; /* of sampling then: any time is right within half of it */
    uint32_t node;     /* the innermost frame that no probe is in, or ABI_STACK_NO_NODE */
};

/* All samples and nodes of a view, by thread. Zeroed memory is valid, and empty. */
struct trace_samples {
    const struct abi_sampling_view *view; /* borrowed */
    uint64_t ns_per_unit;                 /* of the words */
    MB_VEC(struct trace_sampled_thread) threads;
    MB_VEC(struct trace_sample) rows;  /* thread by thread, oldest first */
    union mb_numbers order;            /* nodes thread by thread, callers first */
    MB_VEC(struct trace_frame) frames; /* [node] */
    uint64_t disordered;               /* left out: taken before the one that was written before */
};

/* Where its rows and nodes are, and met_ns of the rows until now. */
struct trace_sampled_thread {
    size_t first;
    size_t count;
    size_t first_node;
    size_t node_count;
    const struct abi_sample *last;
    int64_t met_ns;
};

/* What is asked for of a node most often, close together. */
struct trace_frame {
    uint32_t plain; /* the node, or that of the innermost caller around a probe; or none */
    uint32_t depth; /* frames of that, with itself; 0 if none */
    uint32_t parent;
    uint32_t id;
};

/* view must outlive samples. ns_per_unit is that of the words. Linear. Fails without memory only;
 * finish also after that. */
MB_MUST_CHECK enum mb_status
trace_samples_make(struct trace_samples *samples, const struct abi_sampling_view *view,
                   uint64_t ns_per_unit, const struct trace_probes *probes, struct mb_error *err);

/* Of one thread of the view; borrowed. */
const struct trace_sample *trace_samples_of(const struct trace_samples *samples, size_t thread,
                                            size_t *count);

/* A time of the view in units of the words, below 2^63. */
int64_t trace_samples_time(const struct trace_samples *samples, uint64_t time);

/* What a thread's samples add up to: in units of the words, but for CPU time. */
struct trace_sampled_time {
    int64_t running;
    int64_t waiting;
    int64_t cpu_ns;
    int64_t met_ns; /* CPU time between two samples that both met it running, less all other */
};
struct trace_sampled_time trace_samples_sum(const struct trace_samples *samples, size_t thread);
void trace_samples_finish(struct trace_samples *samples);

/* ---- Calls ---- */

/* Zeroed memory is valid. Keeps its memory from one use to the next. One thread at a time. */
struct trace_sampled_calls {
    MB_VEC(struct trace_item) items;
    union mb_numbers open; /* of the items, while they are made */
};

/* *stack gets the calls of a thread of the view, in call order, without losses: views of the memory
 * of calls, until its next use. What the last sample saw is open if that is near the end, the
 * latest time that is known, in units of the words. Linear in samples and frames that change. Fails
 * without memory only. */
MB_MUST_CHECK enum mb_status trace_sampled_calls_make(struct trace_sampled_calls *calls,
                                                      const struct trace_samples *samples,
                                                      size_t thread, uint64_t end,
                                                      struct trace_stack *stack,
                                                      struct mb_error *err);
void trace_sampled_calls_finish(struct trace_sampled_calls *calls);

#endif
