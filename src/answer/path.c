#include "answer/path.h"

#define BRANCH_SHARE 20

uint32_t answer_path_parent(const struct answer_path *path, const struct trace_node *node)
{
    bool is_outermost = node->parent == TRACE_NO_NODE || path->nodes[node->parent].is_idle;

    return is_outermost ? TRACE_NO_NODE : node->parent;
}

static void take_nodes(struct answer_path *path, const struct answer_threads *threads)
{
    if (path->pool->row_count == 1) {
        path->nodes = path->pool->first->nodes;
        path->node_count = path->pool->first->node_count;
        return;
    }
    for (size_t i = 0; i < threads->count; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        if (answer_pool_has(path->pool, thread) &&
            trace_profile_merge(&path->merged, thread->nodes, thread->node_count, NULL) != MB_OK) {
            path->steps.buf.failed = true;
        }
    }
    path->nodes = trace_profile_nodes(&path->merged, &path->node_count);
}

/* best[node] = its greatest child, [node_count] = the greatest outermost call; or TRACE_NO_NODE. By
 * what is in no other: totals of a folded recursion's children overlap. */
static void find_best_children(const struct answer_path *path, uint32_t *best, int64_t *own)
{
    const struct trace_node *nodes = path->nodes;

    for (size_t i = path->node_count; i > 0; i--) {
        own[i - 1] = trace_add(own[i - 1], nodes[i - 1].own);
        if (nodes[i - 1].parent != TRACE_NO_NODE) {
            own[nodes[i - 1].parent] = trace_add(own[nodes[i - 1].parent], own[i - 1]);
        }
    }
    for (size_t i = 0; i <= path->node_count; i++) {
        best[i] = TRACE_NO_NODE;
    }
    for (uint32_t i = 0; i < path->node_count; i++) {
        uint32_t caller = answer_path_parent(path, &nodes[i]);
        size_t parent = caller != TRACE_NO_NODE ? caller : path->node_count;
        if (nodes[i].is_idle) {
            continue;
        }
        if (best[parent] == TRACE_NO_NODE || own[i] > own[best[parent]]) {
            best[parent] = i;
        }
    }
}

static void take_steps(struct answer_path *path, const uint32_t *best)
{
    int64_t total = path->total;

    for (uint32_t at = best[path->node_count]; at != TRACE_NO_NODE; at = best[at]) {
        bool is_known = answer_ns(path->clock, path->nodes[at].total) > answer_tick_ns(path->clock);
        if (!is_known || path->nodes[at].total < total / 2) {
            return;
        }
        total = path->nodes[at].total;
        MB_VEC_PUSH(&path->steps, at);
    }
}

void answer_path_find(struct answer_path *path, const struct answer_clock *clock,
                      const struct answer_threads *threads, const struct answer_pool *pool)
{
    struct mb_buf room = {0};

    path->clock = clock;
    path->pool = pool;
    take_nodes(path, threads);
    for (size_t i = 0; i < path->node_count; i++) {
        const struct trace_node *node = &path->nodes[i];
        bool is_outermost = answer_path_parent(path, node) == TRACE_NO_NODE && !node->is_idle;
        path->total = trace_add(path->total, is_outermost ? node->total : 0);
    }
    size_t count = path->node_count + 1;
    if (!mb_buf_zero(&room, count * (sizeof(int64_t) + sizeof(uint32_t)))) {
        path->steps.buf.failed = true;
    } else if (!path->steps.buf.failed) {
        int64_t *own = (int64_t *)(void *)room.bytes;
        uint32_t *best = (uint32_t *)(void *)(own + count);
        find_best_children(path, best, own);
        take_steps(path, best);
    }
    mb_buf_finish(&room);
}

const struct trace_node *answer_path_core(const struct answer_path *path)
{
    size_t count = MB_VEC_COUNT(&path->steps);
    const uint32_t *steps = path->steps.items;

    while (count > 0 && path->nodes[steps[count - 1]].total < path->total / 2) {
        count--;
    }
    return count > 0 ? &path->nodes[steps[count - 1]] : NULL;
}

/* By time, then by place. */
static bool comes_after(const struct answer_path *path, uint32_t node, uint32_t before)
{
    int64_t limit = before != TRACE_NO_NODE ? path->nodes[before].total : INT64_MAX;
    int64_t total = path->nodes[node].total;

    return total < limit || (total == limit && before != TRACE_NO_NODE && node > before);
}

uint32_t answer_path_branch(const struct answer_path *path, uint32_t before)
{
    size_t count = MB_VEC_COUNT(&path->steps);
    const uint32_t *steps = path->steps.items;
    uint32_t parent = count > 0 ? steps[count - 1] : TRACE_NO_NODE;
    uint32_t best = TRACE_NO_NODE;

    for (uint32_t i = 0; i < path->node_count; i++) {
        const struct trace_node *node = &path->nodes[i];
        bool is_known = answer_ns(path->clock, node->total) > answer_tick_ns(path->clock);
        bool is_branch = !node->is_idle && answer_path_parent(path, node) == parent && is_known &&
                         node->total > path->total / BRANCH_SHARE;
        if (is_branch && comes_after(path, i, before) &&
            (best == TRACE_NO_NODE || node->total > path->nodes[best].total)) {
            best = i;
        }
    }
    return best;
}

void answer_path_finish(struct answer_path *path)
{
    trace_profile_finish(&path->merged);
    mb_buf_finish(&path->steps.buf);
}

bool answer_path_tells(const struct answer_path *path, size_t step)
{
    size_t count = MB_VEC_COUNT(&path->steps);
    const uint32_t *steps = path->steps.items;
    const struct trace_node *node = &path->nodes[steps[step]];

    if (step == 0 || step + 1 == count) {
        return true;
    }
    int64_t before = path->nodes[steps[step - 1]].total;
    return node->own > path->total / 100 || node->total < before - before / 20;
}
