/* The calling-context trees of a whole run, from the sections of a trace (abi/profile.h). */

#ifndef TRACE_TREES_H
#define TRACE_TREES_H

#include "abi/profile.h"
#include "base/vec.h"
#include "trace/profile.h"

/* All borrowed. Any bytes may stand there. */
struct trace_tree_source {
    const struct abi_profile_thread *threads;
    size_t thread_count;
    const struct abi_profile_node *nodes; /* fewer than TRACE_NO_NODE */
    size_t node_count;
    uint64_t end;         /* the latest time that is known: open calls last until then, in units */
    uint64_t ns_per_unit; /* abi/tracefile.h */
};

/* Zeroed memory is valid, without trees. */
struct trace_trees {
    MB_VEC(struct trace_node) nodes; /* thread by thread, callers first */
    union mb_numbers starts;         /* [thread] = its first node; one more after the last */
    struct mb_buf scratch;           /* of trace_trees_make */
    uint64_t damaged_nodes;          /* which make no sense; left out with all below them */
};

/* Linear. Fails without memory only; finish also after that. */
MB_MUST_CHECK enum mb_status trace_trees_make(struct trace_trees *trees,
                                              const struct trace_tree_source *source,
                                              struct mb_error *err);

/* The nodes of a thread, parents counted from the first of them; borrowed. */
const struct trace_node *trace_trees_of(const struct trace_trees *trees, size_t thread,
                                        size_t *count);
void trace_trees_finish(struct trace_trees *trees);

/* Of a thread's time inside calls, at least; in units. What is in none of the three is not
 * known. */
struct trace_usage {
    int64_t worked;
    int64_t ready;    /* able to run, without a processor */
    int64_t waited;   /* ready or not, unless knows_ready */
    bool knows_ready; /* apart from waiting */
    bool is_known;    /* anything of it is */
    bool is_whole;    /* estimates; else lower bounds */
};

/* busy is the thread's time inside calls, in units. */
struct trace_usage trace_usage_of(const struct trace_tree_source *source, size_t thread,
                                  int64_t busy);

#endif
