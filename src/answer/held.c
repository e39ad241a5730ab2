/* Calls of muted methods are in their callers' own times: which, and about how many. */

#include "answer/building.h"

#include "abi/record.h"

#include <stdlib.h>

#define MUTED INT64_MIN
#define LEAST_SHARE 20 /* of a caller's own time; below, nobody asks where it comes from */

static int by_pair(const void *a, const void *b)
{
    const struct answer_held *x = a;
    const struct answer_held *y = b;
    int order = (x->caller > y->caller) - (x->caller < y->caller);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static int by_time(const void *a, const void *b)
{
    const struct answer_held *x = a;
    const struct answer_held *y = b;
    int order = (x->caller > y->caller) - (x->caller < y->caller);

    order = order != 0 ? order : (x->total < y->total) - (x->total > y->total);
    return order != 0 ? order : by_pair(a, b);
}

/* Where a muted method called another it has fallen silent itself: what called that one holds both.
 */
static void take_thread(union answer_held_rows *held, const struct answer_thread *thread,
                        const int64_t *own)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        uint32_t holder = node->silent_calls > 0 ? node->parent : TRACE_NO_NODE;
        while (holder != TRACE_NO_NODE && own[thread->nodes[holder].id] == MUTED) {
            holder = thread->nodes[holder].parent;
        }
        if (holder != TRACE_NO_NODE) {
            const struct answer_held found = {thread->nodes[holder].id, node->id,
                                              node->silent_calls, node->silent_total};
            MB_VEC_PUSH(held, found);
        }
    }
}

/* One row for each pair of methods. Returns how many there are. */
static size_t add_up(struct answer_held *rows, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_pair(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].calls += rows[i].calls;
            rows[kept - 1].total = trace_add(rows[kept - 1].total, rows[i].total);
        } else {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

/* Callers of whose own time it is a part worth a word. */
static size_t keep_great(struct answer_held *rows, size_t count, const int64_t *own)
{
    size_t kept = 0;

    for (size_t first = 0, end = 0; first < count; first = end) {
        int64_t total = 0;
        for (end = first; end < count && rows[end].caller == rows[first].caller; end++) {
            total = trace_add(total, rows[end].total);
        }
        for (size_t i = first; i < end && total >= own[rows[first].caller] / LEAST_SHARE; i++) {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

/* Samples tell better. */
void answer_make_held(struct answer_model *model)
{
    const struct answer_threads *threads = &model->facts.threads;
    struct answer_methods *methods = &model->facts.methods;
    bool is_wanted = methods->mute_count > 0 && !model->facts.sampling.is_known;
    int64_t *own = is_wanted ? calloc(ABI_ID_MASK + 1, sizeof(*own)) : NULL;

    if (own == NULL) {
        model->held.buf.failed = model->held.buf.failed || is_wanted;
        return;
    }
    for (size_t i = 0; i < methods->count; i++) {
        own[methods->rows[i].id & ABI_ID_MASK] = methods->rows[i].self;
    }
    for (size_t i = 0; i < methods->mute_count; i++) {
        own[methods->mutes[i].id] = MUTED;
    }
    for (size_t i = 0; i < threads->count; i++) {
        take_thread(&model->held, &threads->rows[i], own);
    }
    struct answer_held *rows = model->held.items;
    size_t count = MB_VEC_COUNT(&model->held);
    if (count > 0 && !model->held.buf.failed) {
        qsort(rows, count, sizeof(*rows), by_pair);
        count = add_up(rows, count);
        qsort(rows, count, sizeof(*rows), by_time);
        methods->held = rows;
        methods->held_count = keep_great(rows, count, own);
    }
    free(own);
}
