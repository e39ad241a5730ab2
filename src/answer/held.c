/* Calls of muted methods are in their callers' own times: which. */

#include "answer/building.h"

#include "abi/record.h"

#include <stdlib.h>

#define LEAST_SHARE 20 /* of the calls of the muted method; callers with fewer are not told */

static int by_pair(const void *a, const void *b)
{
    const struct answer_held *x = a;
    const struct answer_held *y = b;
    int order = (x->caller > y->caller) - (x->caller < y->caller);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static int by_calls(const void *a, const void *b)
{
    const struct answer_held *x = a;
    const struct answer_held *y = b;
    int order = (x->caller > y->caller) - (x->caller < y->caller);

    order = order != 0 ? order : (x->calls < y->calls) - (x->calls > y->calls);
    return order != 0 ? order : by_pair(a, b);
}

/* Where a muted method called another it has fallen silent itself: what called that one holds both.
 */
static void take_thread(union answer_held_rows *held, const struct answer_thread *thread,
                        const uint64_t *muted)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        uint32_t holder = node->silent > 0 ? node->parent : TRACE_NO_NODE;
        while (holder != TRACE_NO_NODE && muted[thread->nodes[holder].id] > 0) {
            holder = thread->nodes[holder].parent;
        }
        if (holder != TRACE_NO_NODE) {
            const struct answer_held found = {thread->nodes[holder].id, node->id, node->calls};
            MB_VEC_PUSH(held, found);
        }
    }
}

/* One row for each pair of methods, if it had enough of the calls. Returns how many there are. */
static size_t add_up(struct answer_held *rows, size_t count, const uint64_t *muted)
{
    size_t kept = 0;

    for (size_t first = 0, end = 0; first < count; first = end) {
        uint64_t calls = 0;
        for (end = first; end < count && by_pair(&rows[first], &rows[end]) == 0; end++) {
            calls += rows[end].calls;
        }
        if (calls >= muted[rows[first].id] / LEAST_SHARE) {
            rows[kept++] = (struct answer_held){rows[first].caller, rows[first].id, calls};
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
    uint64_t *muted = is_wanted ? calloc(ABI_ID_MASK + 1, sizeof(*muted)) : NULL;

    if (muted == NULL) {
        model->held.buf.failed = model->held.buf.failed || is_wanted;
        return;
    }
    for (size_t i = 0; i < methods->mute_count; i++) {
        muted[methods->mutes[i].id] = methods->mutes[i].calls + 1;
    }
    for (size_t i = 0; i < threads->count; i++) {
        take_thread(&model->held, &threads->rows[i], muted);
    }
    struct answer_held *rows = model->held.items;
    size_t count = MB_VEC_COUNT(&model->held);
    if (count > 0 && !model->held.buf.failed) {
        qsort(rows, count, sizeof(*rows), by_pair);
        methods->held = rows;
        methods->held_count = add_up(rows, count, muted);
        qsort(rows, methods->held_count, sizeof(*rows), by_calls);
    }
    free(muted);
}
