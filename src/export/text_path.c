/* Where the time went: from the outermost calls down, as long as one call has most of it. */

#include "export/text.h"

#include <inttypes.h>

#define BAR_WIDTH 10
#define NAME_COLUMN 42
#define MAX_INDENT 24
#define MAX_BRANCHES 5
#define BRANCH_SHARE 20 /* a branch has a twentieth of all at least */

static const uint32_t *steps_of(const struct export_path *path, size_t *count)
{
    *count = path->steps.size / sizeof(uint32_t);
    return (const void *)path->steps.bytes;
}

/* Idle loops are left out: what they call is outermost. */
static uint32_t parent_of(const struct export_path *path, const struct trace_node *node)
{
    bool is_outermost = node->parent == TRACE_NO_NODE || path->nodes[node->parent].is_idle;

    return is_outermost ? TRACE_NO_NODE : node->parent;
}

static void take_nodes(struct export_path *path, const struct export_report *report)
{
    if (path->pool->row_count == 1) {
        path->nodes = path->pool->first->nodes;
        path->node_count = path->pool->first->node_count;
        return;
    }
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct export_thread *thread = &report->threads[i];
        if (export_pool_has(path->pool, thread) &&
            trace_profile_merge(&path->merged, thread->nodes, thread->node_count, NULL) != MB_OK) {
            path->steps.failed = true;
        }
    }
    path->nodes = trace_profile_nodes(&path->merged, &path->node_count);
}

/* best[node] = its greatest child, [node_count] = the greatest outermost call; or TRACE_NO_NODE. */
static void find_best_children(const struct export_path *path, uint32_t *best)
{
    const struct trace_node *nodes = path->nodes;

    for (size_t i = 0; i <= path->node_count; i++) {
        best[i] = TRACE_NO_NODE;
    }
    for (uint32_t i = 0; i < path->node_count; i++) {
        uint32_t caller = parent_of(path, &nodes[i]);
        size_t parent = caller != TRACE_NO_NODE ? caller : path->node_count;
        if (nodes[i].is_idle) {
            continue;
        }
        if (best[parent] == TRACE_NO_NODE || nodes[i].total > nodes[best[parent]].total) {
            best[parent] = i;
        }
    }
}

static void take_steps(struct export_path *path, const struct export_report *report,
                       const uint32_t *best)
{
    int64_t total = path->total;

    for (uint32_t at = best[path->node_count]; at != TRACE_NO_NODE; at = best[at]) {
        bool is_known = export_ns(report, path->nodes[at].total) > export_tick_ns(report);
        if (!is_known || path->nodes[at].total < total / 2) {
            return;
        }
        total = path->nodes[at].total;
        mb_buf_put(&path->steps, &at, sizeof(at));
    }
}

void export_path_find(struct export_path *path, const struct export_report *report,
                      const struct export_pool *pool)
{
    struct mb_buf room = {0};

    path->pool = pool;
    take_nodes(path, report);
    for (size_t i = 0; i < path->node_count; i++) {
        const struct trace_node *node = &path->nodes[i];
        bool is_outermost = parent_of(path, node) == TRACE_NO_NODE && !node->is_idle;
        path->total = trace_add(path->total, is_outermost ? node->total : 0);
    }
    uint32_t *best = (void *)mb_buf_extend(&room, (path->node_count + 1) * sizeof(*best));
    if (best == NULL) {
        path->steps.failed = true;
    } else if (!path->steps.failed) {
        find_best_children(path, best);
        take_steps(path, report, best);
    }
    mb_buf_finish(&room);
}

const struct trace_node *export_path_core(const struct export_path *path)
{
    size_t count = 0;
    const uint32_t *steps = steps_of(path, &count);

    while (count > 0 && path->nodes[steps[count - 1]].total < path->total / 2) {
        count--;
    }
    return count > 0 ? &path->nodes[steps[count - 1]] : NULL;
}

void export_path_finish(struct export_path *path)
{
    trace_profile_finish(&path->merged);
    mb_buf_finish(&path->steps);
}

/* ---- Printing ---- */

static void put_node(const struct export_report *report, const struct export_path *path,
                     const struct trace_node *node, size_t indent, struct mb_buf *out)
{
    double share = path->total > 0 ? (double)node->total / (double)path->total : 0;
    int bar = share >= 1 ? BAR_WIDTH : share > 0 ? (int)(share * BAR_WIDTH + 0.5) : 0;

    indent = indent < MAX_INDENT ? indent : MAX_INDENT;
    mb_buf_put_string(out, "  ");
    export_put_time(out, export_ns(report, node->total), 8);
    export_put_percent(out, node->total, path->total, 6);
    mb_buf_printf(out, " %-*.*s", BAR_WIDTH, bar, "##########");
    export_put_time(out, export_ns(report, node->own), 8);
    export_put_count(out, node->calls, 7);
    mb_buf_printf(out, "  %*s", (int)indent, "");
    export_put_method(report, out, node->id, NAME_COLUMN + 2 + indent);
    export_put_marks(report, out, node->id, node->is_open);
    export_put_inferred(out, node->inferred, node->total);
    mb_buf_put_string(out, node->is_folded ? " (recurses)" : "");
    if (node->waited > node->own / 2) {
        mb_buf_put_string(out, path->pool->lacks_ready ? " (has no CPU)" : " (waits)");
    } else if (node->ready > node->own / 2) {
        mb_buf_put_string(out, " (ready, has no CPU)");
    }
    mb_buf_put_u1(out, '\n');
}

bool export_path_tells(const struct export_path *path, size_t step)
{
    size_t count = 0;
    const uint32_t *steps = steps_of(path, &count);
    const struct trace_node *node = &path->nodes[steps[step]];

    if (step == 0 || step + 1 == count) {
        return true;
    }
    int64_t before = path->nodes[steps[step - 1]].total;
    return node->own > path->total / 100 || node->total < before - before / 20;
}

static size_t put_steps(const struct export_report *report, const struct export_path *path,
                        struct mb_buf *out)
{
    size_t count = 0;
    const uint32_t *steps = steps_of(path, &count);
    size_t indent = 0;
    size_t passed = 0;

    for (size_t i = 0; i < count; i++) {
        const struct trace_node *node = &path->nodes[steps[i]];
        if (report->columns > 0 && !export_path_tells(path, i)) {
            passed++;
            continue;
        }
        if (passed > 0) {
            mb_buf_printf(out, "%*s(%zu call%s in between)\n", (int)(NAME_COLUMN + 2 + indent), "",
                          passed, passed == 1 ? "" : "s");
            passed = 0;
        }
        put_node(report, path, node, indent++, out);
    }
    return indent;
}

/* Where the last step, or where all begins, goes on in several ways. */
static void put_branches(const struct export_report *report, const struct export_path *path,
                         size_t indent, struct mb_buf *out)
{
    size_t count = 0;
    const uint32_t *steps = steps_of(path, &count);
    uint32_t parent = count > 0 ? steps[count - 1] : TRACE_NO_NODE;
    int64_t least = path->total / BRANCH_SHARE;
    int64_t below = INT64_MAX;
    uint32_t last = TRACE_NO_NODE;

    for (size_t shown = 0; shown < MAX_BRANCHES; shown++) {
        uint32_t best = TRACE_NO_NODE;
        for (uint32_t i = 0; i < path->node_count; i++) {
            const struct trace_node *node = &path->nodes[i];
            bool is_left = node->total < below || (node->total == below && i > last);
            bool is_known = export_ns(report, node->total) > export_tick_ns(report);
            if (!node->is_idle && parent_of(path, node) == parent && is_left && is_known &&
                node->total > least &&
                (best == TRACE_NO_NODE || node->total > path->nodes[best].total)) {
                best = i;
            }
        }
        if (best == TRACE_NO_NODE) {
            return;
        }
        below = path->nodes[best].total;
        last = best;
        put_node(report, path, &path->nodes[best], indent, out);
    }
}

void export_put_path(const struct export_report *report, const struct export_path *path,
                     struct mb_buf *out)
{
    struct mb_buf name = {0};

    if (path->node_count == 0 || path->total <= 0) {
        return;
    }
    export_put_pool(&name, path->pool);
    mb_buf_put_u1(&name, 0);
    out->failed = out->failed || name.failed;
    export_put_heading(report, out, "Hot path of %s", name.failed ? "" : (const char *)name.bytes);
    mb_buf_finish(&name);
    mb_buf_printf(out, "  %8s%6s %-*s%8s%7s  %s\n", "total", "%", BAR_WIDTH, "", "own", "calls",
                  "method");
    size_t indent = put_steps(report, path, out);
    put_branches(report, path, indent, out);
}
