#include "trace/trees.h"

#include "abi/record.h"

/* Trees being made: where the nodes of the section went. */
struct growing {
    struct trace_trees *trees;
    const struct trace_tree_source *source;
    struct trace_node *nodes;
    uint32_t *starts;
    uint32_t *places; /* [node of the section] = its place among its thread's, or TRACE_NO_NODE */
};

static int64_t as_time(uint64_t units)
{
    return (int64_t)(units & INT64_MAX);
}

/* What a thread's open calls last until. */
static uint64_t end_of(const struct trace_tree_source *source,
                       const struct abi_profile_thread *thread)
{
    uint64_t last = thread->last_time;

    return (thread->flags & ABI_PROFILE_ENDED) || last > source->end ? last : source->end;
}

/* ---- Which nodes there are ---- */

static bool makes_sense(const struct growing *g, size_t index)
{
    const struct abi_profile_node *nodes = g->source->nodes;
    const struct abi_profile_node *node = &nodes[index];

    if (node->thread >= g->source->thread_count || node->id > ABI_ID_MASK) {
        return false;
    }
    return node->parent == ABI_PROFILE_NO_NODE ||
           (node->parent < index && g->places[node->parent] != TRACE_NO_NODE &&
            nodes[node->parent].thread == node->thread);
}

/* starts first counts the nodes of each thread, one place later; then it adds them up. */
static void place_nodes(const struct growing *g)
{
    for (size_t i = 0; i < g->source->node_count; i++) {
        bool is_there = makes_sense(g, i);
        g->places[i] = is_there ? g->starts[g->source->nodes[i].thread + 1]++ : TRACE_NO_NODE;
        g->trees->damaged_nodes += !is_there;
    }
    for (size_t t = 0; t < g->source->thread_count; t++) {
        g->starts[t + 1] += g->starts[t];
    }
}

/* ---- What they say ---- */

/* Of the call that runs; 0 if none does. */
static int64_t open_time(const struct growing *g, const struct abi_profile_node *node)
{
    uint64_t since = node->open_since;
    uint64_t end = end_of(g->source, &g->source->threads[node->thread]);

    return since > 0 && end > since - 1 ? as_time(end - (since - 1)) : 0;
}

static int64_t spent_after(int64_t total, uint64_t until)
{
    return total > as_time(until) ? total - as_time(until) : 0;
}

/* ---- Waiting ---- */

static int64_t units_of(const struct trace_tree_source *source, uint64_t ns)
{
    double ns_per_unit =
        (double)(source->ns_per_unit >> 32) / (double)(source->ns_per_unit & UINT32_MAX);
    double units = (double)ns / ns_per_unit;

    return units < (double)INT64_MAX ? (int64_t)units : INT64_MAX;
}

static int64_t since_usage(const struct trace_tree_source *source,
                           const struct abi_profile_thread *row)
{
    uint64_t end = end_of(source, row);

    return end > row->cpu_time ? as_time(end - row->cpu_time) : 0;
}

/* The longest time that the thread can have run: its CPU time, and the time since that was read. */
static int64_t most_running(const struct trace_tree_source *source, size_t thread)
{
    const struct abi_profile_thread *row = &source->threads[thread];

    if (row->cpu_time == 0) {
        return INT64_MAX;
    }
    int64_t since = since_usage(source, row);
    int64_t cpu = units_of(source, row->cpu_ns);
    return cpu < INT64_MAX - since ? cpu + since : INT64_MAX;
}

static int64_t up_to(int64_t value, int64_t most)
{
    int64_t least = value > 0 ? value : 0;

    return least < most ? least : most > 0 ? most : 0;
}

/* One time for the whole of it: what can have been outside was outside. */
static struct trace_usage usage_by_sums(const struct trace_tree_source *source, size_t thread,
                                        int64_t busy)
{
    const struct abi_profile_thread *row = &source->threads[thread];
    int64_t most = most_running(source, thread);
    int64_t whole = as_time(row->cpu_time > row->first_time ? row->cpu_time - row->first_time : 0);
    int64_t outside = whole > busy ? whole - busy : 0;

    return (struct trace_usage){
        .worked = up_to(trace_subtract(units_of(source, row->cpu_ns), outside), busy),
        .waited = busy > most ? busy - most : 0,
        .is_known = true,
    };
}

struct trace_usage trace_usage_of(const struct trace_tree_source *source, size_t thread,
                                  int64_t busy)
{
    const struct abi_profile_thread *row = &source->threads[thread];
    struct trace_usage usage = {0};

    if (row->cpu_time == 0) {
        return usage;
    }
    if (!(row->flags & ABI_PROFILE_BOUNDS)) {
        return usage_by_sums(source, thread, busy);
    }
    usage.is_known = true;
    usage.knows_ready = (row->flags & ABI_PROFILE_READY) != 0;
    usage.worked = up_to(as_time(row->worked_least), busy);
    if (row->flags & ABI_PROFILE_PARTS) {
        usage.is_whole = true;
        usage.ready = up_to(as_time(row->ready_least), busy - usage.worked);
        usage.waited = up_to(busy - usage.worked - usage.ready - since_usage(source, row), busy);
        return usage;
    }
    usage.waited = up_to(as_time(row->waited_least), busy - usage.worked);
    usage.ready = up_to(as_time(row->ready_least), busy - usage.worked - usage.waited);
    return usage;
}

/* A call's own time above what its thread can have run, where nothing better is known. A time that
 * threads share, or that changed while it was read, can be below 0. */
static void finish_node(const struct trace_tree_source *source, size_t thread,
                        struct trace_node *node)
{
    node->own = node->own > 0 ? node->own : 0;
    if ((source->threads[thread].flags & ABI_PROFILE_BOUNDS) == 0) {
        int64_t most = most_running(source, thread);
        node->waited = node->own > most ? node->own - most : 0;
    }
    node->waited = up_to(node->waited, node->own);
    node->ready = up_to(node->ready, node->own - node->waited);
}

static void fill_node(const struct growing *g, size_t index)
{
    const struct abi_profile_node *from = &g->source->nodes[index];
    uint32_t start = g->starts[from->thread];
    bool is_outermost = from->parent == ABI_PROFILE_NO_NODE;
    uint32_t parent = is_outermost ? TRACE_NO_NODE : g->places[from->parent];
    struct trace_node *caller = is_outermost ? NULL : &g->nodes[start + parent];
    int64_t open = open_time(g, from);
    int64_t longest = as_time(from->longest);
    int64_t total = trace_add(as_time(from->total), open);
    int64_t inferred = as_time(from->inferred_total);

    g->nodes[start + g->places[index]] = (struct trace_node){
        .id = from->id,
        .parent = parent,
        .depth = is_outermost ? 0 : caller->depth + 1,
        .is_open = from->open_since > 0,
        .is_folded = (from->flags & ABI_PROFILE_FOLDED) != 0,
        .is_request = (from->flags & ABI_PROFILE_REQUEST) != 0,
        .calls = from->calls + (from->open_since > 0),
        .total = total,
        .own = trace_subtract(total, (int64_t)from->child_total),
        .longest = longest > open ? longest : open,
        .running = open,
        .inferred = inferred < total ? inferred : total,
        .waited = as_time(from->waited_least),
        .ready = as_time(from->ready_least),
    };
    if (!is_outermost && from->caller_time > 0) {
        g->nodes[start + g->places[index]].silent = spent_after(caller->total, from->caller_time);
    }
    finish_node(g->source, from->thread, &g->nodes[start + g->places[index]]);
    if (!is_outermost && open > 0) {
        caller->own = trace_subtract(caller->own, open);
        finish_node(g->source, from->thread, caller); /* as if it had never been more */
    }
}

/* ---- The whole ---- */

static bool take_memory(struct growing *g)
{
    size_t count = g->source->node_count;
    size_t threads = g->source->thread_count + 1;

    g->nodes = mb_buf_take(&g->trees->nodes.buf, count + 1, sizeof(*g->nodes));
    g->starts = mb_buf_take(&g->trees->starts.buf, threads, sizeof(*g->starts));
    g->places = mb_buf_take(&g->trees->scratch, count + 1, sizeof(*g->places));
    if (g->nodes == NULL || g->starts == NULL || g->places == NULL) {
        return false;
    }
    memset(g->starts, 0, threads * sizeof(*g->starts));
    return true;
}

enum mb_status trace_trees_make(struct trace_trees *trees, const struct trace_tree_source *source,
                                struct mb_error *err)
{
    struct growing g = {.trees = trees, .source = source};

    trees->damaged_nodes = 0;
    if (!take_memory(&g)) {
        return mb_fail_memory(err);
    }
    place_nodes(&g);
    for (size_t i = 0; i < source->node_count; i++) {
        if (g.places[i] != TRACE_NO_NODE) {
            fill_node(&g, i);
        }
    }
    return MB_OK;
}

const struct trace_node *trace_trees_of(const struct trace_trees *trees, size_t thread,
                                        size_t *count)
{
    const uint32_t *starts = trees->starts.items;

    *count = starts[thread + 1] - starts[thread];
    return &trees->nodes.items[starts[thread]];
}

void trace_trees_finish(struct trace_trees *trees)
{
    mb_buf_finish(&trees->nodes.buf);
    mb_buf_finish(&trees->starts.buf);
    mb_buf_finish(&trees->scratch);
}
