#include "abi/profile.h"
#include "answer/building.h"
#include "answer/requests.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PART 4 /* all but that part is most */

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

void answer_slow_index_find(const struct answer_slow_index *index, const struct trace_node *nodes,
                            size_t count, uint32_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        const struct trace_node *node = &nodes[i];
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

static bool add_thread(const struct answer_slow_index *index, const struct trace_node *nodes,
                       size_t count, struct sums *sums)
{
    uint32_t *numbers = calloc(count + 1, sizeof(*numbers));

    if (numbers == NULL) {
        return false;
    }
    answer_slow_index_find(index, nodes, count, numbers);
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] > 0) {
            int64_t *own = &sums->own[numbers[i] - 1];
            *own = trace_add(*own, nodes[i].own);
            sums->calls[numbers[i] - 1] += nodes[i].calls;
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

/* own becomes what slow ones spent more there. */
static bool compare(const struct answer_requests *requests, struct sums *sums)
{
    size_t count = requests->slow_node_count;
    double *shares = calloc(count + 1, sizeof(*shares));

    for (size_t i = 0; i < count && shares != NULL; i++) {
        int64_t own = answer_slow_own(&requests->slow_nodes[i]);
        int64_t usual = trace_subtract(sums->own[i], own);
        shares[i] = share_of(requests->slow_nodes, i, shares, sums->calls[i]);
        sums->own[i] = trace_subtract(own, usual > 0 ? (int64_t)((double)usual * shares[i]) : 0);
    }
    free(shares);
    return shares != NULL;
}

bool answer_slow_more(const struct answer_requests *requests, const struct answer_threads *threads,
                      int64_t *more)
{
    size_t count = requests->slow_node_count;
    struct answer_slow_index index = {0};
    struct sums sums = {more, calloc(count + 1, sizeof(*sums.calls))};
    bool is_good = sums.calls != NULL && answer_slow_index_make(&index, requests);

    memset(more, 0, count * sizeof(*more));
    for (size_t i = 0; i < threads->count && is_good; i++) {
        is_good = add_thread(&index, threads->rows[i].nodes, threads->rows[i].node_count, &sums);
    }
    is_good = is_good && compare(requests, &sums);
    answer_slow_index_finish(&index);
    free(sums.calls);
    return is_good;
}

/* ---- Callers of what slow requests did ---- */

/* The outermost call of the request. */
static size_t root_of(const struct abi_profile_node *nodes, size_t i)
{
    while (nodes[i].parent < i) {
        i = nodes[i].parent;
    }
    return i;
}

/* Usual requests call it less than half as often. */
static bool is_rare(const struct abi_profile_node *nodes, size_t i, size_t root,
                    const uint64_t *calls)
{
    double slow = (double)nodes[i].calls * (double)(calls[root] - nodes[root].calls);
    double usual = (double)(calls[i] - nodes[i].calls) * (double)nodes[root].calls;

    return usual * 2 < slow;
}

/* The node in which most of what requests of the kind spent more in the method was. */
static size_t find_node(const struct answer_requests *requests, const struct sums *sums,
                        uint32_t kind, uint32_t id, bool *are_several)
{
    const struct abi_profile_node *nodes = requests->slow_nodes;
    size_t found = requests->slow_node_count;
    int64_t all = 0;
    size_t count = 0;

    for (size_t i = 0; i < requests->slow_node_count; i++) {
        if (nodes[i].id == id && nodes[root_of(nodes, i)].id == kind && sums->own[i] > 0) {
            bool is_more = found == requests->slow_node_count || sums->own[i] > sums->own[found];
            found = is_more ? i : found;
            all = trace_add(all, sums->own[i]);
        }
        count += nodes[i].id == id && nodes[root_of(nodes, i)].id == kind;
    }
    *are_several = count > 1;
    return found < requests->slow_node_count && sums->own[found] >= all - all / MOST_PART
               ? found
               : requests->slow_node_count;
}

/* The outermost of its callers that usual requests hardly have; else, of several, the one that
 * calls it. */
static uint32_t find_caller(const struct answer_requests *requests, const struct sums *sums,
                            uint32_t kind, uint32_t id)
{
    const struct abi_profile_node *nodes = requests->slow_nodes;
    bool are_several;
    size_t node = find_node(requests, sums, kind, id, &are_several);

    if (node == requests->slow_node_count || nodes[node].parent >= node) {
        return 0;
    }
    size_t root = root_of(nodes, node);
    size_t caller = are_several ? nodes[node].parent : root;
    for (size_t i = nodes[node].parent; i != root; i = nodes[i].parent) {
        caller = is_rare(nodes, i, root, sums->calls) ? i : caller;
    }
    return caller != root ? nodes[caller].id : 0;
}

static bool add_threads(const struct answer_sections *sections,
                        const struct answer_slow_index *index, struct sums *sums)
{
    bool is_good = true;

    for (size_t i = 0; i < sections->source.thread_count && is_good; i++) {
        size_t count;
        const struct trace_node *nodes = trace_trees_of(&sections->trees, i, &count);
        is_good = add_thread(index, nodes, count, sums);
    }
    return is_good;
}

static void set_callers(struct answer_model *model, const struct sums *sums)
{
    struct answer_excess *next = model->excesses.items;

    for (size_t k = 0; k < MB_VEC_COUNT(&model->requests); k++) {
        const struct answer_request *kind = &model->requests.items[k];
        for (size_t i = 0; i < kind->excess_count; i++, next++) {
            bool is_its_own = next->id != 0 && next->state >= ANSWER_STATE_TIME;
            next->below =
                is_its_own ? find_caller(&model->facts.requests, sums, kind->id, next->id) : 0;
        }
    }
}

enum mb_status answer_find_callers(struct answer_model *model, struct mb_error *err)
{
    const struct answer_requests *requests = &model->facts.requests;
    struct answer_slow_index index = {0};
    struct sums sums = {calloc(requests->slow_node_count + 1, sizeof(*sums.own)),
                        calloc(requests->slow_node_count + 1, sizeof(*sums.calls))};
    bool is_good = sums.own != NULL && sums.calls != NULL &&
                   answer_slow_index_make(&index, requests) &&
                   add_threads(&model->sections, &index, &sums) && compare(requests, &sums);

    if (is_good) {
        set_callers(model, &sums);
    }
    answer_slow_index_finish(&index);
    free(sums.own);
    free(sums.calls);
    return is_good ? MB_OK : mb_fail_memory(err);
}
