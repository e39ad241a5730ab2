/* What of the time of calls counts: all of it, or not what they waited, or CPU time alone. */

#include "answer/building.h"

#include "abi/blame.h"
#include "base/number.h"

#include <stdlib.h>

/* Nodes are the model's own. */
static struct trace_node *nodes_of(const struct answer_thread *thread)
{
    return (struct trace_node *)(uintptr_t)thread->nodes;
}

/* ---- What the thread's clock says ---- */

/* By whole samples: what a stack took before it was met, so that calls that wait have others'. */
static int64_t worked_in(const struct answer_building *b, const struct trace_node *node)
{
    const struct answer_sampling *sampling = &b->model->facts.sampling;
    const struct answer_names *names = &b->model->facts.methods.names;

    if (!sampling->is_known || sampling->is_of_gaps) {
        return mb_max_i64(trace_subtract(node->own, trace_add(node->waited, node->ready)), 0);
    }
    bool has_worked =
        node->worked > 0 && !abi_is_waiting(abi_function_of(names->find(names->context, node->id)));
    return has_worked ? node->worked : 0;
}

/* Times by the wall, which its ready time makes fit. */
static void fit_node(struct trace_node *node, double worked)
{
    double most = (double)mb_max_i64(trace_subtract(node->own, node->waited), 0);

    node->ready = (int64_t)(most - mb_min_f64(worked, most));
}

/* Calls in what was recorded, where anything was: what was sampled around that is beside it. */
static bool is_told(const struct answer_thread *thread, size_t index)
{
    const struct trace_node *node = &thread->nodes[index];

    while (node->parent != TRACE_NO_NODE) {
        node = &thread->nodes[node->parent];
    }
    return thread->losses == NULL || !node->is_sampled;
}

/* Samples and stretches tell where a thread worked, and not how much: what it worked while it was
 * seen to wait only, it did in other calls. */
static void fit_to_clock(const struct answer_building *b, struct answer_thread *thread)
{
    const struct answer_time *time = &thread->time;
    const struct answer_clock *clock = &b->model->facts.clock;
    struct trace_node *nodes = nodes_of(thread);
    int64_t sum = 0;

    bool are_bounds = b->model->facts.threads.have_bounds && thread->losses != NULL;
    if (!time->has_cpu || !time->knows_ready || are_bounds || b->options->mark != NULL) {
        return;
    }
    for (size_t i = 0; i < thread->node_count; i++) {
        sum = trace_add(sum, is_told(thread, i) ? worked_in(b, &nodes[i]) : 0);
    }
    double part = sum > 0 ? (double)time->worked_ns / (double)answer_ns(clock, sum) : 1;
    for (size_t i = 0; i < thread->node_count; i++) {
        if (is_told(thread, i)) {
            fit_node(&nodes[i], (double)worked_in(b, &nodes[i]) * part);
        }
    }
}

/* ---- What counts ---- */

static int64_t leave_out(struct trace_node *node, enum answer_counted counted)
{
    int64_t most = node->own > 0 ? node->own : 0;
    int64_t out = trace_add(node->waited, counted == ANSWER_CPU ? node->ready : 0);

    out = out < most ? out : most;
    node->own -= out;
    node->waited = 0;
    node->ready = counted == ANSWER_CPU ? 0 : node->ready;
    return out;
}

/* Totals of a folded recursion overlap with those of its callees: what is left out of its own is in
 * theirs still, but no callee had more than its caller before. */
static void shorten_items(struct trace_node *node, int64_t out, int64_t before, int64_t caller)
{
    int64_t total = node->total > out ? node->total - out : 0;

    total = before >= 0 && node->total <= before && total > caller ? caller : total;
    node->total = total > node->own ? total : node->own;
    node->inferred = node->inferred < node->total ? node->inferred : node->total;
}

enum mb_status answer_count_times(struct answer_building *b, struct answer_thread *thread,
                                  struct mb_error *err)
{
    enum answer_counted counted = b->options->counted;
    fit_to_clock(b, thread);
    struct trace_node *nodes = nodes_of(thread);
    struct part {
        int64_t out;    /* of it and what it called */
        int64_t before; /* its total */
    } *parts = counted != ANSWER_WALL ? calloc(thread->node_count + 1, sizeof(*parts)) : NULL;

    if (counted == ANSWER_WALL) {
        return MB_OK;
    }
    if (parts == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = thread->node_count; i > 0; i--) {
        struct trace_node *node = &nodes[i - 1];
        parts[i - 1].before = node->total;
        parts[i - 1].out = trace_add(parts[i - 1].out, leave_out(node, counted));
        if (node->parent != TRACE_NO_NODE) {
            parts[node->parent].out = trace_add(parts[node->parent].out, parts[i - 1].out);
        }
    }
    for (size_t i = 0; i < thread->node_count; i++) {
        uint32_t parent = nodes[i].parent;
        bool is_outermost = parent == TRACE_NO_NODE;
        shorten_items(&nodes[i], parts[i].out, is_outermost ? -1 : parts[parent].before,
                      is_outermost ? 0 : nodes[parent].total);
        int64_t out_ns = is_outermost ? answer_ns(&b->model->facts.clock, parts[i].out) : 0;
        b->model->facts.left_out_ns = trace_add(b->model->facts.left_out_ns, out_ns);
    }
    free(parts);
    return MB_OK;
}
