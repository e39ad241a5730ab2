/* The calling-context tree of a thread: the cost of each method by chain of callers. A chain has
 * one node, however many calls it had. */

#ifndef TRACE_PROFILE_H
#define TRACE_PROFILE_H

#include "base/vec.h"
#include "trace/trace.h"

#define TRACE_NO_NODE UINT32_MAX

/* All calls of one method with the same chain of callers; times in units. */
struct trace_node {
    uint32_t id;
    uint32_t parent; /* the caller's index, below the own one; TRACE_NO_NODE: an outermost call */
    uint32_t depth;  /* number of callers */
    bool is_inner;   /* one of them is the same method */
    bool is_open;    /* one of the calls was still running at the end */
    bool is_folded;  /* calls within calls of it count here too; others' totals overlap with its */
    bool is_request; /* its calls are requests (abi/profile.h) */
    bool is_idle;    /* the thread is made to wait in it, and in its callers: answer/idle.c */
    bool is_sampled; /* its times are estimates from samples, all or those since it is muted */
    uint64_t calls;
    int64_t total;
    int64_t own; /* without the calls it made */
    int64_t longest;
    int64_t running;  /* of total: of the call that still ran at the end, in the profile of a run */
    int64_t waited;   /* of own: at least so much was spent waiting, as far as CPU times tell */
    int64_t inferred; /* of total: in calls whose end is inferred: any of it may be too much */
    int64_t ready;    /* beside that: able to run, at least so long, without a processor */
    int64_t worked;   /* of own, by samples that met it running; 0 without any */
    /* Beside total, of a sampled method: in recorded calls that stand beside it; less what counts
     * there already, as the method was around those too. */
    int64_t passed;
    int64_t silent; /* of its caller's total: after the method was muted, so with calls of it */
};

/* Zeroed memory is an empty tree. One thread at a time. */
struct trace_profile {
    MB_VEC(struct trace_node) nodes; /* in order of first sight */
    MB_VEC(struct trace_slot) slots; /* hash table of (parent, id) */
    struct mb_buf path;              /* [depth] = node of the call around the current place */
    union mb_numbers active;         /* [id] = how many calls on the path are of this method */
};

/* Add the calls of one thread, in call order. Fails without memory only; finish also after that. */
MB_MUST_CHECK enum mb_status trace_profile_add(struct trace_profile *profile,
                                               const struct trace_item *items, size_t count,
                                               struct mb_error *err);

/* Add the nodes of another tree below the chains of callers that they have there. As add. */
MB_MUST_CHECK enum mb_status trace_profile_merge(struct trace_profile *profile,
                                                 const struct trace_node *nodes, size_t count,
                                                 struct mb_error *err);

/* Find or make the node of a method below another, or as an outermost one (TRACE_NO_NODE).
 * TRACE_NO_NODE without memory. The second finds it only: TRACE_NO_NODE if it is not there. */
uint32_t trace_profile_child(struct trace_profile *profile, uint32_t parent, uint32_t id);
uint32_t trace_profile_find(const struct trace_profile *profile, uint32_t parent, uint32_t id);

/* Borrowed until the next add, merge, child or reset. */
const struct trace_node *trace_profile_nodes(const struct trace_profile *profile, size_t *count);

/* Forget the nodes, keep the memory. */
void trace_profile_reset(struct trace_profile *profile);
void trace_profile_finish(struct trace_profile *profile);

#endif
