/* Who called whom, over all threads: the trees of a report as a graph of methods. */

#ifndef ANSWER_EDGES_H
#define ANSWER_EDGES_H

#include "answer/facts.h"
#include "base/vec.h"

#define ANSWER_NO_CALLER UINT32_MAX

/* Calls of one method by another; times in units. */
struct answer_edge {
    uint32_t caller; /* id; ANSWER_NO_CALLER: outermost calls */
    uint32_t callee;
    uint64_t calls;
    /* The calls and what they made in turn; what recursion makes of the same is not counted
     * again. */
    uint64_t all_calls;
    int64_t total;
};

MB_VEC_TYPE(answer_edges, struct answer_edge);

/* By caller, then callee; callers first that have none. Appends; failed without memory. */
void answer_edges_collect(union answer_edges *edges, const struct answer_threads *threads);

#endif
