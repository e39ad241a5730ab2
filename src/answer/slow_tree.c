#include "abi/profile.h"
#include "answer/requests.h"

#include <stdlib.h>
#include <string.h>

/* A call of slow requests: a node by its caller and its method. */
struct answer_slow_place {
    uint32_t parent;
    uint32_t id;
    uint32_t node;
};

static int by_caller(const void *a, const void *b)
{
    const struct answer_slow_place *x = a;
    const struct answer_slow_place *y = b;

    return x->parent != y->parent ? (x->parent > y->parent) - (x->parent < y->parent)
                                  : (x->id > y->id) - (x->id < y->id);
}

bool answer_slow_index_make(struct answer_slow_index *index, const struct answer_requests *requests)
{
    index->count = requests->slow_node_count;
    index->places = calloc(index->count + 1, sizeof(*index->places));
    if (index->places == NULL) {
        return false;
    }
    for (size_t i = 0; i < index->count; i++) {
        const struct abi_profile_node *node = &requests->slow_nodes[i];
        index->places[i] = (struct answer_slow_place){node->parent, node->id, (uint32_t)i};
    }
    qsort(index->places, index->count, sizeof(*index->places), by_caller);
    return true;
}

void answer_slow_index_finish(struct answer_slow_index *index)
{
    free(index->places);
    *index = (struct answer_slow_index){0};
}

static uint32_t find_place(const struct answer_slow_index *index, uint32_t parent, uint32_t id)
{
    const struct answer_slow_place wanted = {.parent = parent, .id = id};
    const struct answer_slow_place *found =
        bsearch(&wanted, index->places, index->count, sizeof(wanted), by_caller);

    return found != NULL ? found->node + 1 : 0;
}

void answer_slow_index_find(const struct answer_slow_index *index,
                            const struct answer_thread *thread, uint32_t *numbers)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        uint32_t above = node->parent != TRACE_NO_NODE ? numbers[node->parent] : 0;
        numbers[i] = above != 0         ? find_place(index, above - 1, node->id)
                     : node->is_request ? find_place(index, ABI_PROFILE_NO_NODE, node->id)
                                        : 0;
    }
}

int64_t answer_slow_own(const struct abi_profile_node *node)
{
    int64_t own = trace_subtract((int64_t)(node->total & INT64_MAX),
                                 (int64_t)(node->child_total & INT64_MAX));

    return own > 0 ? own : 0;
}

/* What all requests did, by the nodes of slow ones. */
struct sums {
    int64_t *own;
    uint64_t *calls;
};

static bool add_thread(const struct answer_slow_index *index, const struct answer_thread *thread,
                       struct sums *sums)
{
    uint32_t *numbers = calloc(thread->node_count + 1, sizeof(*numbers));

    if (numbers == NULL) {
        return false;
    }
    answer_slow_index_find(index, thread, numbers);
    for (size_t i = 0; i < thread->node_count; i++) {
        if (numbers[i] > 0) {
            int64_t *own = &sums->own[numbers[i] - 1];
            *own = trace_add(*own, thread->nodes[i].own);
            sums->calls[numbers[i] - 1] += thread->nodes[i].calls;
        }
    }
    free(numbers);
    return true;
}

/* Slow ones for each usual one; below a request, that of the request. shares: of the nodes before
 * it. */
static double share_of(const struct abi_profile_node *nodes, size_t i, const double *shares,
                       uint64_t calls)
{
    if (nodes[i].parent != ABI_PROFILE_NO_NODE) {
        return nodes[i].parent < i ? shares[nodes[i].parent] : 0;
    }
    return calls > nodes[i].calls ? (double)nodes[i].calls / (double)(calls - nodes[i].calls) : 0;
}

bool answer_slow_more(const struct answer_requests *requests, const struct answer_threads *threads,
                      int64_t *more)
{
    size_t count = requests->slow_node_count;
    struct answer_slow_index index = {0};
    struct sums sums = {more, calloc(count + 1, sizeof(*sums.calls))};
    double *shares = calloc(count + 1, sizeof(*shares));
    bool is_good = sums.calls != NULL && shares != NULL && answer_slow_index_make(&index, requests);

    memset(more, 0, count * sizeof(*more));
    for (size_t i = 0; i < threads->count && is_good; i++) {
        is_good = add_thread(&index, &threads->rows[i], &sums);
    }
    for (size_t i = 0; i < count && is_good; i++) {
        int64_t own = answer_slow_own(&requests->slow_nodes[i]);
        int64_t usual = trace_subtract(sums.own[i], own);
        shares[i] = share_of(requests->slow_nodes, i, shares, sums.calls[i]);
        more[i] = trace_subtract(own, usual > 0 ? (int64_t)((double)usual * shares[i]) : 0);
    }
    answer_slow_index_finish(&index);
    free(sums.calls);
    free(shares);
    return is_good;
}
