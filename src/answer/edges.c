#include "answer/edges.h"

#include <stdlib.h>

/* So far up is looked for the same pair; recursion that is deeper repeats itself. */
#define MOST_CALLERS 1000

static uint32_t caller_of(const struct trace_node *nodes, const struct trace_node *node)
{
    return node->parent != TRACE_NO_NODE ? nodes[node->parent].id : ANSWER_NO_CALLER;
}

/* The same pair lies above: its time has this one. */
static bool is_repeated(const struct trace_node *nodes, const struct trace_node *node)
{
    uint32_t caller = caller_of(nodes, node);
    uint32_t at = node->parent;
    size_t left = MOST_CALLERS;

    if (!node->is_inner) {
        return false;
    }
    for (; at != TRACE_NO_NODE && left > 0; at = nodes[at].parent, left--) {
        if (nodes[at].id == node->id && caller_of(nodes, &nodes[at]) == caller) {
            return true;
        }
    }
    return left == 0;
}

static int by_pair(const void *a, const void *b)
{
    const struct answer_edge *x = a;
    const struct answer_edge *y = b;
    uint32_t caller_x = x->caller + 1; /* none comes first */
    uint32_t caller_y = y->caller + 1;
    int order = (caller_x > caller_y) - (caller_x < caller_y);

    return order != 0 ? order : (x->callee > y->callee) - (x->callee < y->callee);
}

static void sum_up(union answer_edges *edges)
{
    struct answer_edge *rows = edges->items;
    size_t kept = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(edges); i++) {
        if (kept > 0 && by_pair(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].calls += rows[i].calls;
            rows[kept - 1].all_calls += rows[i].all_calls;
            rows[kept - 1].total = trace_add(rows[kept - 1].total, rows[i].total);
        } else {
            rows[kept++] = rows[i];
        }
    }
    MB_VEC_CUT(edges, kept);
}

/* Calls of each node and of all below it; callers come first. */
static uint64_t *sum_calls(const struct answer_thread *thread)
{
    uint64_t *sums = calloc(thread->node_count + 1, sizeof(*sums));

    for (size_t i = thread->node_count; sums != NULL && i-- > 0;) {
        const struct trace_node *node = &thread->nodes[i];
        sums[i] += node->calls;
        if (node->parent != TRACE_NO_NODE) {
            sums[node->parent] += sums[i];
        }
    }
    return sums;
}

static void add_thread(union answer_edges *edges, const struct answer_thread *thread)
{
    uint64_t *sums = sum_calls(thread);

    edges->buf.failed = edges->buf.failed || sums == NULL;
    for (size_t i = 0; !edges->buf.failed && i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        bool counts = !is_repeated(thread->nodes, node);
        const struct answer_edge edge = {
            .caller = caller_of(thread->nodes, node),
            .callee = node->id,
            .calls = node->calls,
            .all_calls = counts ? sums[i] : 0,
            .total = counts ? node->total : 0,
        };
        MB_VEC_PUSH(edges, edge);
    }
    free(sums);
}

void answer_edges_collect(union answer_edges *edges, const struct answer_threads *threads)
{
    for (size_t t = 0; t < threads->count; t++) {
        add_thread(edges, &threads->rows[t]);
    }
    MB_VEC_SORT(edges, by_pair);
    sum_up(edges);
}
