/* Sampled stacks in the calling-context tree of a thread: what no record tells of a whole run.
 *
 * The recorded methods of a stack are found in the tree from the outermost on, those between left
 * out; a call within a call of the same method is that method's node again, as in a profile that
 * folds. In a stack that was cut the first of them is the node of its method that took most; where
 * none is recorded, it is that of the outermost frame's method that came first in a whole stack.
 * Every other method of the stack has its node below the innermost recorded one around it, or below
 * the last such method, with the time that was sampled there.
 *
 * That time was the recorded caller's own, which shrinks by it, to 0 at most. Totals and calls of
 * recorded methods stay, except of muted ones: they grow to what was sampled.
 *
 * Of a sampled node what ran beyond its CPU time was ready, if the thread's CPU time is known. */

#ifndef TRACE_GRAFT_H
#define TRACE_GRAFT_H

#include "abi/profile.h"
#include "base/vec.h"
#include "trace/profile.h"
#include "trace/samples.h"

/* All borrowed. */
struct trace_graft_source {
    const struct trace_samples *samples;
    size_t thread;                  /* of the view */
    const struct trace_node *nodes; /* its recorded calls; any count, callers first */
    size_t node_count;
    const struct abi_profile_mute *mutes;
    size_t mute_count;
    uint32_t message_method; /* whose frame a recorded message is; 0 if unknown */
    bool fills_gaps;         /* the time of methods that were never recorded is their callers' */
};

/* Zeroed memory is valid. Keeps its memory from one use to the next. One thread at a time. */
struct trace_graft {
    struct trace_profile profile; /* the tree, from trace_profile_nodes: recorded methods first */
    struct mb_buf costs;
    struct mb_buf spots;
    union mb_numbers known;
    union mb_numbers muted;
};

/* Linear. calls of a sampled node is 0, and its longest. Fails without memory only; finish also
 * after that. */
MB_MUST_CHECK enum mb_status trace_graft_make(struct trace_graft *graft,
                                              const struct trace_graft_source *source,
                                              struct mb_error *err);
void trace_graft_finish(struct trace_graft *graft);

#endif
