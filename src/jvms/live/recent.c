#include "jvms/live/recent.h"

#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* A thread on its way into the rows. */
struct pass {
    struct live_recent *recent;
    const struct live_snapshot *from;
    const struct live_snapshot *to;
    uint64_t ns_per_unit;
    size_t thread;
    struct live_thread row;
    int64_t most_ns; /* that the thread, or its members together, can have spent */
    const struct trace_node *old;
    size_t old_count;
    const struct trace_node *nodes;
    size_t count;
    bool *has_open;
};

static int64_t ns_of(const struct pass *pass, int64_t units)
{
    return units > 0 ? (int64_t)(abi_trace_ns(pass->ns_per_unit, (uint64_t)units) & INT64_MAX) : 0;
}

/* What a time grew by. What was read while it changed may shrink, or jump: a thread cannot have
 * spent more than there was. */
static int64_t growth_ns(const struct pass *pass, int64_t from, int64_t to)
{
    int64_t ns = ns_of(pass, trace_subtract(to, from));

    return ns < pass->most_ns ? ns : pass->most_ns;
}

static uint64_t growth(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/* ---- Methods ---- */

/* The row of a method; NULL without memory. */
static struct live_method *row_of(struct live_recent *recent, uint32_t id)
{
    uint32_t *index = recent->index.items;

    if (index[id] == 0) {
        struct live_method *row = MB_VEC_ADD(&recent->methods);
        if (row == NULL) {
            return NULL;
        }
        *row = (struct live_method){.id = id};
        index[id] = (uint32_t)MB_VEC_COUNT(&recent->methods);
    }
    return &recent->methods.items[index[id] - 1];
}

/* What one node tells of the interval. */
struct change {
    uint32_t id;
    int64_t own_ns;
    int64_t waited_ns;
    int64_t ready_ns;
    int64_t total_ns;
    int64_t running_ns;
    uint64_t calls;
    uint64_t ended;
    int64_t ended_ns;
    bool is_innermost;
};

static uint64_t ended_calls(const struct trace_node *node)
{
    return node->calls - (node->is_open && node->calls > 0);
}

static struct change change_of(const struct pass *pass, const struct trace_node *from,
                               const struct trace_node *to, bool is_innermost)
{
    struct change change = {
        .id = to->id & ABI_ID_MASK,
        .own_ns = growth_ns(pass, from->own, to->own),
        .total_ns = growth_ns(pass, from->total, to->total),
        .running_ns = ns_of(pass, to->running),
        .calls = growth(from->calls, to->calls),
        .ended = growth(ended_calls(from), ended_calls(to)),
        .is_innermost = is_innermost,
    };

    if (change.ended > 0) {
        change.ended_ns = ns_of(pass, trace_subtract(trace_subtract(to->total, to->running),
                                                     trace_subtract(from->total, from->running)));
    }
    if (pass->row.knows_waiting) {
        change.waited_ns = mb_min_i64(growth_ns(pass, from->waited, to->waited), change.own_ns);
        change.ready_ns =
            mb_min_i64(growth_ns(pass, from->ready, to->ready), change.own_ns - change.waited_ns);
    }
    return change;
}

static bool tells_nothing(const struct change *change)
{
    return change->total_ns == 0 && change->calls == 0 && change->ended == 0 &&
           change->running_ns == 0;
}

static void add_to_method(const struct pass *pass, const struct change *change)
{
    struct live_method *row = row_of(pass->recent, change->id);
    uint32_t number = (uint32_t)pass->thread + 1;

    if (row == NULL) {
        return;
    }
    row->threads += row->seen_in != number;
    row->seen_in = number;
    row->inside += change->is_innermost;
    row->own_ns = trace_add(row->own_ns, change->own_ns);
    row->total_ns = trace_add(row->total_ns, change->total_ns);
    row->waited_ns = trace_add(row->waited_ns, change->waited_ns);
    row->ready_ns = trace_add(row->ready_ns, change->ready_ns);
    row->running_ns = row->running_ns > change->running_ns ? row->running_ns : change->running_ns;
    row->calls += change->calls;
    row->ended += change->ended;
    row->ended_ns = trace_add(row->ended_ns, change->ended_ns);
}

static void add_edge(const struct pass *pass, uint32_t caller, const struct change *change)
{
    struct live_recent *recent = pass->recent;
    size_t count = MB_VEC_COUNT(&recent->edges);
    size_t i = 0;

    if (recent->focus == LIVE_NO_METHOD ||
        (caller != recent->focus && change->id != recent->focus)) {
        return;
    }
    while (i < count && (recent->edges.items[i].caller != caller ||
                         recent->edges.items[i].callee != change->id)) {
        i++;
    }
    if (i == count) {
        MB_VEC_PUSH(&recent->edges, (struct live_edge){.caller = caller, .callee = change->id});
    }
    if (!recent->edges.buf.failed) {
        struct live_edge *edge = &recent->edges.items[i];
        edge->calls += change->calls;
        edge->total_ns = trace_add(edge->total_ns, change->total_ns);
    }
}

/* ---- Threads ---- */

static void add_to_thread(struct pass *pass, const struct change *change)
{
    struct live_thread *row = &pass->row;

    row->busy_ns = trace_add(row->busy_ns, change->own_ns);
    row->waited_ns = trace_add(row->waited_ns, change->waited_ns);
    row->calls += change->calls;
    if (change->is_innermost) {
        row->innermost = change->id;
        row->running_ns = change->running_ns;
    }
}

static void mark_open(const struct pass *pass)
{
    memset(pass->has_open, 0, pass->count * sizeof(*pass->has_open));
    for (size_t i = 0; i < pass->count; i++) {
        if (pass->nodes[i].is_open && pass->nodes[i].parent != TRACE_NO_NODE) {
            pass->has_open[pass->nodes[i].parent] = true;
        }
    }
}

/* A node stays at its place: new ones are added after it. */
static struct trace_node old_node(const struct pass *pass, size_t i)
{
    const struct trace_node *node = &pass->nodes[i];
    bool is_same =
        i < pass->old_count && pass->old[i].id == node->id && pass->old[i].parent == node->parent;

    return is_same ? pass->old[i] : (struct trace_node){.id = node->id};
}

static void add_nodes(struct pass *pass)
{
    mark_open(pass);
    for (size_t i = 0; i < pass->count; i++) {
        const struct trace_node *node = &pass->nodes[i];
        const struct trace_node from = old_node(pass, i);
        const struct change change =
            change_of(pass, &from, node, node->is_open && !pass->has_open[i]);
        if (tells_nothing(&change)) {
            continue;
        }
        add_to_method(pass, &change);
        add_to_thread(pass, &change);
        add_edge(pass,
                 node->parent == TRACE_NO_NODE ? LIVE_NO_METHOD : pass->nodes[node->parent].id,
                 &change);
    }
}

/* Threads of one name have a row after another; virtual ones, and those of the last row of a full
 * table, at a time. */
static int64_t most_of(const struct live_snapshot *snapshot, size_t thread, int64_t interval_ns)
{
    const struct abi_profile_thread *row = &snapshot->sections.source.threads[thread];
    bool is_shared = (row->flags & ABI_PROFILE_VIRTUAL) != 0 || snapshot->sections.lost_threads > 0;
    uint64_t members = is_shared && row->thread_count > 1 ? row->thread_count : 1;

    return (uint64_t)interval_ns < (uint64_t)INT64_MAX / members ? interval_ns * (int64_t)members
                                                                 : INT64_MAX;
}

static const struct trace_node *nodes_of(const struct live_snapshot *snapshot, size_t thread,
                                         size_t *count)
{
    *count = 0;
    return thread < snapshot->sections.source.thread_count &&
                   snapshot->sections.trees.starts.buf.size > 0
               ? trace_trees_of(&snapshot->sections.trees, thread, count)
               : NULL;
}

static void add_thread(struct pass *pass)
{
    struct live_recent *recent = pass->recent;
    const struct abi_profile_thread *row = &pass->to->sections.source.threads[pass->thread];
    bool is_old = pass->thread < pass->from->sections.source.thread_count;
    uint64_t lost = is_old ? pass->from->sections.source.threads[pass->thread].lost_words : 0;

    pass->old = nodes_of(pass->from, pass->thread, &pass->old_count);
    pass->nodes = nodes_of(pass->to, pass->thread, &pass->count);
    pass->most_ns = most_of(pass->to, pass->thread, recent->interval_ns);
    pass->row = (struct live_thread){
        .name = {row->name, strnlen(row->name, sizeof(row->name))},
        .id = row->thread_id,
        .innermost = LIVE_NO_METHOD,
        .is_ended = (row->flags & ABI_PROFILE_ENDED) != 0,
        .knows_waiting = (row->flags & ABI_PROFILE_BOUNDS) != 0,
    };
    add_nodes(pass);
    recent->calls += pass->row.calls;
    recent->lost_words += growth(lost, row->lost_words);
    recent->live_threads += !pass->row.is_ended;
    recent->busy_threads += pass->row.innermost != LIVE_NO_METHOD;
    MB_VEC_PUSH(&recent->threads, pass->row);
}

/* ---- All of it ---- */

static void add_mutes(struct live_recent *recent, const struct live_snapshot *from,
                      const struct live_snapshot *to)
{
    recent->muted = to->sections.mute_count;
    recent->newly_muted = (size_t)growth(from->sections.mute_count, to->sections.mute_count);
    for (size_t i = 0; i < to->sections.mute_count; i++) {
        const struct abi_profile_mute *mute = &to->sections.mutes[i];
        if (mute->id <= ABI_ID_MASK && recent->index.items[mute->id] > 0) {
            row_of(recent, mute->id)->muted = mute->calls > 0 ? mute->calls : 1;
        }
    }
}

static size_t most_nodes(const struct live_snapshot *snapshot)
{
    return MB_VEC_COUNT(&snapshot->sections.trees.nodes);
}

/* The index is large, and a snapshot fills little of it. */
static void clear_index(struct live_recent *recent)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&recent->methods); i++) {
        recent->index.items[recent->methods.items[i].id] = 0;
    }
}

static bool take_memory(struct live_recent *recent, size_t node_count)
{
    struct mb_buf *const bufs[] = {&recent->methods.buf, &recent->threads.buf, &recent->edges.buf};
    const size_t index_size = ((size_t)ABI_ID_MASK + 1) * sizeof(uint32_t);

    clear_index(recent);
    for (size_t i = 0; i < MB_COUNT(bufs); i++) {
        mb_buf_reset(bufs[i]);
    }
    return (recent->index.buf.size > 0 || mb_buf_zero(&recent->index.buf, index_size)) &&
           mb_buf_take(&recent->has_open, node_count + 1, sizeof(bool)) != NULL;
}

static enum mb_status begin(struct live_recent *recent, const struct live_snapshot *from,
                            const struct live_snapshot *to, struct mb_error *err)
{
    const uint64_t rate = to->sections.source.ns_per_unit;

    if (!take_memory(recent, most_nodes(to))) {
        return mb_fail_memory(err);
    }
    recent->interval_ns = (int64_t)(abi_trace_ns(rate, growth(from->time, to->time)) & INT64_MAX);
    recent->run_ns = (int64_t)(abi_trace_ns(rate, to->time) & INT64_MAX);
    recent->state = to->state;
    recent->calls = 0;
    recent->lost_words = 0;
    recent->live_threads = 0;
    recent->busy_threads = 0;
    recent->late_threads = to->late_threads;
    recent->refused_words = to->refused_words;
    recent->absorbed_calls = growth(from->sections.absorbed_calls, to->sections.absorbed_calls);
    recent->damaged = to->sections.missing;
    return MB_OK;
}

enum mb_status live_recent_find(struct live_recent *recent, const struct live_snapshot *from,
                                const struct live_snapshot *to, struct mb_error *err)
{
    struct pass pass = {
        .recent = recent, .from = from, .to = to, .ns_per_unit = to->sections.source.ns_per_unit};

    MB_TRY(begin(recent, from, to, err));
    pass.has_open = (bool *)recent->has_open.bytes;
    for (; pass.thread < to->sections.source.thread_count; pass.thread++) {
        add_thread(&pass);
    }
    MB_TRY(mb_buf_check(&recent->methods.buf, err));
    MB_TRY(mb_buf_check(&recent->threads.buf, err));
    MB_TRY(mb_buf_check(&recent->edges.buf, err));
    live_find_kinds(recent, from, to);
    MB_TRY(mb_buf_check(&recent->kinds.buf, err));
    add_mutes(recent, from, to);
    return MB_OK;
}

/* ---- Orders ---- */

int64_t live_method_mean(const struct live_method *method)
{
    return method->ended > 0 ? (int64_t)((uint64_t)method->ended_ns / method->ended) : 0;
}

static int64_t work_of(const struct live_method *method)
{
    return method->own_ns - method->waited_ns;
}

static int64_t own_of(const struct live_method *method)
{
    return method->own_ns;
}

static int64_t waited_of(const struct live_method *method)
{
    return method->waited_ns;
}

static int64_t total_of(const struct live_method *method)
{
    return method->total_ns;
}

static int64_t calls_of(const struct live_method *method)
{
    return (int64_t)(method->calls & INT64_MAX);
}

static int64_t threads_of(const struct live_method *method)
{
    return method->threads;
}

typedef int64_t key_fn(const struct live_method *method);

static key_fn *const keys[] = {
    [LIVE_BY_WORK] = work_of,       [LIVE_BY_OWN] = own_of,     [LIVE_BY_WAITED] = waited_of,
    [LIVE_BY_TOTAL] = total_of,     [LIVE_BY_CALLS] = calls_of, [LIVE_BY_MEAN] = live_method_mean,
    [LIVE_BY_THREADS] = threads_of,
};

/* Greater first, then by total time and id, so that rows stay in place. */
static int by_rank(const void *a, const void *b)
{
    const struct live_method *x = a;
    const struct live_method *y = b;

    if (x->rank != y->rank) {
        return x->rank < y->rank ? 1 : -1;
    }
    if (x->total_ns != y->total_ns) {
        return x->total_ns < y->total_ns ? 1 : -1;
    }
    return (x->id > y->id) - (x->id < y->id);
}

static int by_thread(const void *a, const void *b)
{
    const struct live_thread *x = a;
    const struct live_thread *y = b;
    int64_t work = x->busy_ns - x->waited_ns;
    int64_t other = y->busy_ns - y->waited_ns;

    if (work != other) {
        return work < other ? 1 : -1;
    }
    if (x->running_ns != y->running_ns) {
        return x->running_ns < y->running_ns ? 1 : -1;
    }
    return (x->id > y->id) - (x->id < y->id);
}

static int by_total(const void *a, const void *b)
{
    const struct live_edge *x = a;
    const struct live_edge *y = b;
    uint64_t one = (uint64_t)x->caller << 32 | x->callee;
    uint64_t other = (uint64_t)y->caller << 32 | y->callee;

    if (x->total_ns != y->total_ns) {
        return x->total_ns < y->total_ns ? 1 : -1;
    }
    return (one > other) - (one < other);
}

void live_recent_sort(struct live_recent *recent, enum live_order order)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&recent->methods); i++) {
        recent->methods.items[i].rank = keys[order](&recent->methods.items[i]);
    }
    MB_VEC_SORT(&recent->methods, by_rank);
    MB_VEC_SORT(&recent->threads, by_thread);
    MB_VEC_SORT(&recent->edges, by_total);
}

void live_recent_finish(struct live_recent *recent)
{
    struct mb_buf *const bufs[] = {&recent->methods.buf, &recent->threads.buf, &recent->edges.buf,
                                   &recent->kinds.buf,   &recent->index.buf,   &recent->has_open};

    for (size_t i = 0; i < MB_COUNT(bufs); i++) {
        mb_buf_finish(bufs[i]);
    }
}
