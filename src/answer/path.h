/* The way down: from the outermost calls, as long as one call has most of the time. */

#ifndef ANSWER_PATH_H
#define ANSWER_PATH_H

#include "answer/pools.h"
#include "base/vec.h"

/* The calls of the pool whose answer comes first. Zeroed memory can be finished. */
struct answer_path {
    const struct answer_clock *clock; /* of its times; borrowed */
    const struct answer_pool *pool;
    struct trace_profile merged;    /* if it has several threads */
    const struct trace_node *nodes; /* of all its threads */
    size_t node_count;
    int64_t total;          /* of the outermost calls, in units */
    union mb_numbers steps; /* nodes with at least half of what the one before has */
};

/* Without memory steps fails. */
void answer_path_find(struct answer_path *path, const struct answer_clock *clock,
                      const struct answer_threads *threads, const struct answer_pool *pool);

/* The deepest step that has at least half of all, or NULL. */
const struct trace_node *answer_path_core(const struct answer_path *path);

/* What calls the node; idle loops are left out: what they call is outermost. */
uint32_t answer_path_parent(const struct answer_path *path, const struct trace_node *node);

/* Ways in which the last step goes on, or all begins, with a twentieth of all at least: the
 * greatest after `before`, or the greatest; TRACE_NO_NODE after the last. */
#define ANSWER_MOST_BRANCHES 5
uint32_t answer_path_branch(const struct answer_path *path, uint32_t before);

/* False for a step between the first and the last that neither costs nor leads away. */
bool answer_path_tells(const struct answer_path *path, size_t step);
void answer_path_finish(struct answer_path *path);

#endif
