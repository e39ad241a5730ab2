#include "abi/profile.h"
#include "answer/building.h"
#include "answer/requests.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PART 3                      /* all but that part is most */
#define MOST_TAKEN 4611686018427387904.0 /* of a damaged trace: fits into 64 bits */

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
        double taken = mb_min_f64((double)mb_max_i64(usual, 0) * shares[i], MOST_TAKEN);
        sums->own[i] = trace_subtract(own, (int64_t)taken);
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

/* [node of slow requests], all. */
struct callers {
    const struct abi_profile_node *nodes; /* callers come first */
    size_t count;
    struct sums sums;
    uint32_t *roots; /* the outermost call */
    uint32_t *ways;  /* see count_ways */
};

static void find_roots(const struct callers *callers)
{
    for (uint32_t i = 0; i < callers->count; i++) {
        uint32_t parent = callers->nodes[i].parent;
        callers->roots[i] = parent < i ? callers->roots[parent] : i;
    }
}

/* Usual requests call it less than half as often. A trace may count fewer calls in all than of slow
 * ones. */
static bool is_rare(const struct abi_profile_node *nodes, size_t i, size_t root,
                    const uint64_t *calls)
{
    bool is_known = calls[i] >= nodes[i].calls && calls[root] > nodes[root].calls;
    double slow = (double)nodes[i].calls * (double)(calls[root] - nodes[root].calls);
    double usual = (double)(calls[i] - nodes[i].calls) * (double)nodes[root].calls;

    return is_known && usual * 2 < slow;
}

/* The node in which most of what requests of the kind spent more in the method was; else their
 * count. */
static size_t find_node(const struct callers *callers, uint32_t kind, uint32_t id)
{
    const struct abi_profile_node *nodes = callers->nodes;
    const int64_t *own = callers->sums.own;
    size_t found = callers->count;
    int64_t more = 0;

    for (size_t i = 0; i < callers->count; i++) {
        bool is_one = nodes[i].id == id && nodes[callers->roots[i]].id == kind;
        callers->ways[i] = is_one;
        if (is_one && own[i] > 0) {
            found = found == callers->count || own[i] > own[found] ? i : found;
            more = trace_add(more, own[i]);
        }
    }
    return found < callers->count && own[found] >= more - more / MOST_PART ? found : callers->count;
}

/* ways[node] = how many nodes of the method are there and below it. */
static void count_ways(const struct callers *callers)
{
    for (size_t i = callers->count; i > 0; i--) {
        uint32_t parent = callers->nodes[i - 1].parent;
        if (parent < i - 1) {
            callers->ways[parent] += callers->ways[i - 1];
        }
    }
}

/* The outermost of its callers that usual requests have less than half as often; else the outermost
 * that not all ways to the method lead through; else the one that calls it. */
static uint32_t find_caller(const struct callers *callers, uint32_t kind, uint32_t id)
{
    const struct abi_profile_node *nodes = callers->nodes;
    size_t node = find_node(callers, kind, id);

    if (node == callers->count || callers->roots[node] == node) {
        return 0;
    }
    count_ways(callers);
    size_t root = callers->roots[node];
    size_t rare = root;
    size_t part = root;
    for (size_t i = node; i != root; i = nodes[i].parent) {
        rare = is_rare(nodes, i, root, callers->sums.calls) ? i : rare;
        part = callers->ways[i] < callers->ways[root] ? i : part;
    }
    size_t caller = rare != root ? rare : part != root ? part : nodes[node].parent;
    return caller != root && nodes[caller].id != id ? nodes[caller].id : 0;
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

/* What the method did itself. */
static bool is_doing(const struct answer_excess *cause, uint32_t id)
{
    return cause->id == id && id != 0 && cause->state > ANSWER_STATE_READY;
}

/* Of such in its method, the cause has most of what slow ones took more. */
static bool is_most(const struct answer_request *kind, const struct answer_excess *cause)
{
    int64_t all = 0;

    for (size_t i = 0; i < kind->excess_count; i++) {
        const struct answer_excess *other = &kind->excesses[i];
        all = trace_add(all, is_doing(other, cause->id) ? other->more_ns : 0);
    }
    return is_doing(cause, cause->id) && cause->more_ns >= all - all / MOST_PART;
}

static void set_callers(struct answer_model *model, const struct callers *callers)
{
    struct answer_excess *next = model->excesses.items;

    for (size_t k = 0; k < MB_VEC_COUNT(&model->requests); k++) {
        const struct answer_request *kind = &model->requests.items[k];
        for (size_t i = 0; i < kind->excess_count; i++, next++) {
            next->below = is_most(kind, next) ? find_caller(callers, kind->id, next->id) : 0;
        }
    }
}

enum mb_status answer_find_callers(struct answer_model *model, struct mb_error *err)
{
    const struct answer_requests *requests = &model->facts.requests;
    const size_t count = requests->slow_node_count;
    struct answer_slow_index index = {0};

    if (count == 0) {
        return MB_OK;
    }
    struct callers callers = {
        .nodes = requests->slow_nodes,
        .count = count,
        .sums = {calloc(count, sizeof(int64_t)), calloc(count, sizeof(uint64_t))},
        .roots = calloc(count, sizeof(uint32_t)),
        .ways = calloc(count, sizeof(uint32_t)),
    };
    bool is_good =
        callers.sums.own != NULL && callers.sums.calls != NULL && callers.roots != NULL &&
        callers.ways != NULL && answer_slow_index_make(&index, requests) &&
        add_threads(&model->sections, &index, &callers.sums) && compare(requests, &callers.sums);

    if (is_good) {
        find_roots(&callers);
        set_callers(model, &callers);
    }
    answer_slow_index_finish(&index);
    free(callers.sums.own);
    free(callers.sums.calls);
    free(callers.roots);
    free(callers.ways);
    return is_good ? MB_OK : mb_fail_memory(err);
}
