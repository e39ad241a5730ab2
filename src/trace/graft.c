#include "trace/graft.h"

#include "abi/names.h"
#include "abi/record.h"
#include "base/number.h"
#include "trace/decoder.h"

#define WHOLE 65536u
#define REACH 256u /* callers that are looked at for a call of the same method */

/* Where the frame of a stack's node is in the tree. */
struct spot {
    uint32_t node;     /* or TRACE_NO_NODE: nowhere, it is a probe's */
    uint32_t recorded; /* the innermost recorded method around it, or itself; or TRACE_NO_NODE */
    int64_t inside;    /* time in it and in what it called */
    bool is_again;     /* a caller is a call of the same method, or it is a probe's */
    bool is_cut;       /* it is in a stack whose outermost frames are missing */
};

/* Of a node of the tree, as sampled. */
struct cost {
    int64_t own;
    int64_t waited;
    int64_t ready;        /* beside that, without CPU time */
    int64_t worked;       /* CPU time of stacks that ran, most of the time */
    int64_t taken;        /* from its own time as recorded: what is now below it */
    int64_t taken_waited; /* of that */
    int64_t inside;       /* time in it and in what it called, once where it recurs */
};

struct grafting {
    struct trace_graft *graft;
    const struct trace_graft_source *source;
    const uint32_t *order; /* the thread's nodes of the view */
    size_t order_count;
    struct spot *spots; /* [node of the view], of the thread's */
    uint32_t *known;    /* [id] = the recorded node of most time, from 1; 0 if none */
    uint32_t *muted;    /* [id]: silent_share; 0: it is not */
    struct cost *costs; /* [node of the tree] */
    uint32_t recorded_count;
    bool knows_cpu; /* the thread's samples have CPU times */
};

static struct trace_node *node_at(const struct grafting *g, uint32_t index)
{
    return &g->graft->profile.nodes.items[index];
}

static uint32_t count_nodes(const struct grafting *g)
{
    return (uint32_t)MB_VEC_COUNT(&g->graft->profile.nodes);
}

/* Of times from 0 on. */
static int64_t add_up(int64_t a, int64_t b)
{
    return a < INT64_MAX - b ? a + b : INT64_MAX;
}

static int64_t at_most(int64_t value, int64_t most)
{
    return mb_min_i64(mb_max_i64(value, 0), most);
}

/* ---- The recorded calls ---- */

/* How much of the time of the samples a method recorded nothing, of WHOLE; never 0. Where they fill
 * gaps they begin when the first method falls silent. Mutes are in the unit of the words. */
static uint32_t silent_share(const struct trace_graft_source *source,
                             const struct abi_profile_mute *mute)
{
    const struct abi_sample_thread *row = &source->samples->view->threads[source->thread];
    uint64_t last = (uint64_t)trace_samples_time(source->samples, row->last_time);
    uint64_t first = mute->time;

    for (size_t i = 0; i < source->mute_count; i++) {
        first = mb_min_u64(first, source->mutes[i].time);
    }
    double silent = last > mute->time ? (double)(last - mute->time) : 0;
    return source->fills_gaps && last > first
               ? 1 + (uint32_t)(silent * (WHOLE - 1) / (double)(last - first))
               : WHOLE;
}

/* Damaged ones may have a child twice, of which the tree makes one. */
static enum mb_status put_recorded(struct grafting *g, struct mb_error *err)
{
    const struct trace_graft_source *source = g->source;
    struct trace_profile *profile = &g->graft->profile;

    trace_profile_reset(profile);
    MB_TRY(trace_profile_merge(profile, source->nodes, source->node_count, err));
    g->recorded_count = count_nodes(g);
    if (g->recorded_count == source->node_count && source->node_count > 0) {
        memcpy(profile->nodes.items, source->nodes, source->node_count * sizeof(*source->nodes));
    }
    for (uint32_t i = 0; i < g->recorded_count; i++) {
        uint32_t *known = &g->known[node_at(g, i)->id];
        bool is_most = *known == 0 || node_at(g, *known - 1)->total < node_at(g, i)->total;
        *known = is_most ? i + 1 : *known;
    }
    for (size_t i = 0; i < source->mute_count; i++) {
        g->muted[source->mutes[i].id & ABI_ID_MASK] = silent_share(source, &source->mutes[i]);
    }
    return MB_OK;
}

static void forget_known(struct grafting *g)
{
    for (uint32_t i = 0; i < g->recorded_count; i++) {
        g->known[node_at(g, i)->id] = 0;
    }
    for (size_t i = 0; i < g->source->mute_count; i++) {
        g->muted[g->source->mutes[i].id & ABI_ID_MASK] = 0;
    }
}

/* ---- Where stacks are ---- */

static uint32_t find_recorded(const struct grafting *g, uint32_t parent, uint32_t id)
{
    uint32_t child = trace_profile_find(&g->graft->profile, parent, id);

    return child < g->recorded_count ? child : TRACE_NO_NODE;
}

/* What a muted method calls is recorded as its caller's since: that where most of it was. */
static uint32_t find_called(const struct grafting *g, uint32_t parent, uint32_t id)
{
    uint32_t best = find_recorded(g, parent, id);

    while (parent != TRACE_NO_NODE && g->muted[node_at(g, parent)->id] != 0) {
        parent = node_at(g, parent)->parent;
        uint32_t other = find_recorded(g, parent, id);
        bool is_more =
            best == TRACE_NO_NODE ||
            (other != TRACE_NO_NODE && node_at(g, other)->total > node_at(g, best)->total);
        best = is_more ? other : best;
    }
    return best;
}

/* In messages of the kind with most time in calls of it. */
static uint32_t find_in_kinds(const struct grafting *g, uint32_t message, uint32_t id)
{
    uint32_t best = TRACE_NO_NODE;

    for (uint32_t kind = ABI_FIRST_KIND_ID; kind <= ABI_MAX_ID; kind++) {
        uint32_t node = g->known[kind] != 0 ? find_recorded(g, message, kind) : TRACE_NO_NODE;
        uint32_t callee = node != TRACE_NO_NODE ? find_recorded(g, node, id) : TRACE_NO_NODE;
        bool is_more =
            callee != TRACE_NO_NODE &&
            (best == TRACE_NO_NODE || node_at(g, callee)->total > node_at(g, best)->total);
        best = is_more ? callee : best;
    }
    return best;
}

/* A recorded message has a frame in no stack unless its method is known; its kind never has. */
static uint32_t find_callee(const struct grafting *g, uint32_t parent, uint32_t id)
{
    uint32_t callee = find_called(g, parent, id);

    if (callee == TRACE_NO_NODE && g->known[ABI_MESSAGE_ID] != 0) {
        bool is_message = parent != TRACE_NO_NODE && node_at(g, parent)->id == ABI_MESSAGE_ID;
        uint32_t message = is_message ? parent : find_recorded(g, parent, ABI_MESSAGE_ID);
        callee = message != TRACE_NO_NODE ? find_recorded(g, message, id) : TRACE_NO_NODE;
        callee = message != TRACE_NO_NODE && callee == TRACE_NO_NODE ? find_in_kinds(g, message, id)
                                                                     : callee;
    }
    return callee;
}

/* The node itself or a caller of it, of that method. */
static uint32_t find_caller(const struct grafting *g, uint32_t node, uint32_t id)
{
    for (uint32_t i = 0; i < REACH && node != TRACE_NO_NODE; i++) {
        if (node_at(g, node)->id == id) {
            return node;
        }
        node = node_at(g, node)->parent;
    }
    return TRACE_NO_NODE;
}

/* Where a frame is that a recorded method has; false if it has none. The outermost ones of a stack
 * may be missing, cut or not found: then it is where most of the method's time was. Where records
 * of callers were lost, the call is outermost in the tree. */
static bool match_recorded(const struct grafting *g, struct spot *spot, uint32_t id)
{
    uint32_t around = spot->recorded;

    if (g->known[id] == 0) {
        return false;
    }
    bool is_called = find_recorded(g, around, id) != TRACE_NO_NODE;
    uint32_t found = is_called ? TRACE_NO_NODE : find_caller(g, around, id);
    spot->is_again = found != TRACE_NO_NODE;
    if (!spot->is_again) {
        found = find_callee(g, around, id);
    }
    if (found == TRACE_NO_NODE) {
        found = around == TRACE_NO_NODE ? g->known[id] - 1 : find_recorded(g, TRACE_NO_NODE, id);
    }
    if (found == TRACE_NO_NODE) {
        return false;
    }
    spot->node = found;
    spot->recorded = found;
    return true;
}

/* A frame of the stack is of that method: what is inside is counted there. */
static bool has_method_above(const struct grafting *g, uint32_t index, uint32_t id)
{
    const struct abi_stack_node *nodes = g->source->samples->view->nodes;

    for (uint32_t i = 0; i < REACH && index != ABI_STACK_NO_NODE; i++) {
        if (nodes[index].id == id) {
            return true;
        }
        index = nodes[index].parent;
    }
    return false;
}

/* Callers come first. */
static bool is_cut(const struct grafting *g, uint32_t index)
{
    const struct abi_stack_node *node = &g->source->samples->view->nodes[index];

    return node->parent == ABI_STACK_NO_NODE ? (node->flags & ABI_STACK_CUT) != 0
                                             : g->spots[node->parent].is_cut;
}

/* Where a cut stack of methods that record nothing begins: at the first call of its outermost one
 * in a whole stack. False if absent. */
static bool match_cut(const struct grafting *g, struct spot *spot, uint32_t id)
{
    uint32_t count = count_nodes(g);
    uint32_t found = g->recorded_count;

    while (found < count && node_at(g, found)->id != id) {
        found++;
    }
    if (found == count) {
        return false;
    }
    spot->node = found;
    while (found != TRACE_NO_NODE && found >= g->recorded_count) {
        found = node_at(g, found)->parent;
    }
    spot->recorded = found;
    return true;
}

static enum mb_status place_node(struct grafting *g, uint32_t index, struct mb_error *err)
{
    const struct trace_samples *samples = g->source->samples;
    const struct abi_stack_node *from = &samples->view->nodes[index];
    struct spot *spot = &g->spots[index];
    bool is_outermost = from->parent == ABI_STACK_NO_NODE;
    uint32_t id =
        from->id == g->source->message_method && from->id != 0 ? ABI_MESSAGE_ID : from->id;

    *spot = is_outermost ? (struct spot){.node = TRACE_NO_NODE, .recorded = TRACE_NO_NODE}
                         : g->spots[from->parent];
    spot->inside = 0;
    spot->is_again = false;
    spot->is_cut = is_cut(g, index);
    bool is_left_out = g->source->fills_gaps && g->known[id] == 0 && g->muted[id] == 0;
    if (samples->frames.items[index].plain != index || is_left_out) {
        spot->is_again = true; /* a probe, or the like: its caller's own time */
    } else if (!match_recorded(g, spot, id) &&
               !(is_outermost && spot->is_cut && match_cut(g, spot, from->id))) {
        spot->node = trace_profile_child(&g->graft->profile, spot->node, from->id);
        if (spot->node == TRACE_NO_NODE) {
            return mb_fail_memory(err);
        }
    }
    spot->is_again = spot->is_again || has_method_above(g, from->parent, from->id);
    return MB_OK;
}

/* ---- Times ---- */

static void add_time(struct grafting *g, uint32_t index)
{
    const struct trace_samples *samples = g->source->samples;
    const struct abi_stack_node *from = &samples->view->nodes[index];
    struct spot *spot = &g->spots[index];
    int64_t waited = trace_samples_time(samples, from->waiting);
    int64_t running = trace_samples_time(samples, from->running);
    int64_t own = add_up(waited, running);
    double worked = (double)abi_trace_units(samples->ns_per_unit, from->cpu_ns);
    double ready = g->knows_cpu && (double)running > worked ? (double)running - worked : 0;

    spot->inside = own;
    if (spot->node != TRACE_NO_NODE) {
        struct cost *cost = &g->costs[spot->node];
        cost->own = add_up(cost->own, own);
        cost->waited = add_up(cost->waited, waited);
        cost->ready = add_up(cost->ready, (int64_t)ready);
        cost->worked = add_up(cost->worked, running > waited ? (int64_t)worked : 0);
    }
}

/* Callees come first. */
static void pass_time(struct grafting *g, uint32_t index)
{
    const struct abi_stack_node *from = &g->source->samples->view->nodes[index];
    const struct spot *spot = &g->spots[index];

    if (spot->node != TRACE_NO_NODE && !spot->is_again) {
        struct cost *cost = &g->costs[spot->node];
        cost->inside = add_up(cost->inside, spot->inside);
    }
    if (from->parent != ABI_STACK_NO_NODE) {
        struct spot *caller = &g->spots[from->parent];
        caller->inside = add_up(caller->inside, spot->inside);
    }
}

/* All that is known of it was sampled. */
static int64_t finish_sampled(struct grafting *g, struct trace_node *node, const struct cost *cost)
{
    uint32_t id = node->id;

    node->is_sampled = true;
    node->is_inner = find_caller(g, node->parent, id) != TRACE_NO_NODE;
    node->own = cost->own;
    node->total = add_up(cost->own, cost->taken);
    node->waited = at_most(cost->waited, cost->own);
    node->ready = cost->ready;
    node->passed = node->is_inner ? 0 : cost->inside - node->total;
    return node->total;
}

/* What was sampled in it beyond what was recorded came while it was silent, and so did calls that
 * were recorded as its caller's then. Where samples fill gaps they began when it fell silent, or
 * another method before it. */
static int64_t finish_muted(const struct grafting *g, struct trace_node *node,
                            const struct cost *cost)
{
    int64_t recorded = node->own > 0 ? node->own : 0;
    int64_t whole = add_up(cost->own, cost->taken);
    int64_t more = g->source->fills_gaps ? (int64_t)((double)whole * g->muted[node->id] / WHOLE)
                   : whole > recorded    ? whole - recorded
                                         : 0;

    node->is_sampled = more > 0;
    node->own = recorded + more - cost->taken > 0 ? recorded + more - cost->taken : 0;
    node->total = trace_add(node->total, more);
    node->total = node->total > cost->inside ? node->total : cost->inside;
    node->waited = at_most(node->waited > cost->waited ? node->waited : cost->waited, node->own);
    return more;
}

static int64_t finish_recorded(struct trace_node *node, const struct cost *cost)
{
    node->own = node->own > cost->taken ? node->own - cost->taken : 0;
    node->waited = at_most(node->waited - cost->taken_waited, node->own);
    return 0;
}

static void finish_node(struct grafting *g, uint32_t index)
{
    struct trace_node *node = node_at(g, index);
    struct cost *cost = &g->costs[index];
    bool is_recorded = index < g->recorded_count;
    bool is_muted = is_recorded && g->muted[node->id] != 0;
    int64_t time = !is_recorded ? finish_sampled(g, node, cost)
                   : is_muted   ? finish_muted(g, node, cost)
                                : finish_recorded(node, cost);

    node->ready = at_most(node->ready, node->own - node->waited);
    node->worked = cost->worked;
    if (node->parent == TRACE_NO_NODE || (is_recorded && !is_muted)) {
        return;
    }
    struct cost *caller = &g->costs[node->parent];
    caller->taken = add_up(caller->taken, time);
    caller->taken_waited =
        add_up(caller->taken_waited, at_most(add_up(cost->waited, cost->taken_waited), time));
}

static enum mb_status count_times(struct grafting *g, struct mb_error *err)
{
    uint32_t count = count_nodes(g);

    g->costs = mb_buf_take(&g->graft->costs, count + 1, sizeof(*g->costs));
    if (g->costs == NULL) {
        return mb_fail_memory(err);
    }
    memset(g->costs, 0, count * sizeof(*g->costs));
    g->knows_cpu = trace_samples_sum(g->source->samples, g->source->thread).cpu_ns > 0;
    for (size_t i = 0; i < g->order_count; i++) {
        add_time(g, g->order[i]);
    }
    for (size_t i = g->order_count; i > 0; i--) {
        pass_time(g, g->order[i - 1]);
    }
    for (uint32_t i = count; i > 0; i--) {
        finish_node(g, i - 1);
    }
    return MB_OK;
}

/* ---- All ---- */

static enum mb_status take_memory(struct grafting *g, struct mb_error *err)
{
    const struct trace_samples *samples = g->source->samples;
    const struct trace_sampled_thread *thread = &samples->threads.items[g->source->thread];

    g->order = &samples->order.items[thread->first_node];
    g->order_count = thread->node_count;
    g->spots = mb_buf_take(&g->graft->spots, samples->view->node_count + 1, sizeof(*g->spots));
    g->known = trace_id_table(&g->graft->known);
    g->muted = trace_id_table(&g->graft->muted);
    return g->spots != NULL && g->known != NULL && g->muted != NULL ? MB_OK : mb_fail_memory(err);
}

/* Cut stacks come after the whole ones. */
static enum mb_status place_nodes(struct grafting *g, struct mb_error *err)
{
    bool has_cut = false;

    for (size_t i = 0; i < g->order_count; i++) {
        bool is_later = is_cut(g, g->order[i]);
        g->spots[g->order[i]].is_cut = is_later;
        has_cut = has_cut || is_later;
        MB_TRY(is_later ? MB_OK : place_node(g, g->order[i], err));
    }
    for (size_t i = 0; has_cut && i < g->order_count; i++) {
        bool is_now = is_cut(g, g->order[i]);
        MB_TRY(is_now ? place_node(g, g->order[i], err) : MB_OK);
    }
    return g->order_count > 0 ? count_times(g, err) : MB_OK;
}

enum mb_status trace_graft_make(struct trace_graft *graft, const struct trace_graft_source *source,
                                struct mb_error *err)
{
    struct grafting g = {.graft = graft, .source = source};

    MB_TRY(take_memory(&g, err));
    enum mb_status status = put_recorded(&g, err);
    if (status == MB_OK) {
        status = place_nodes(&g, err);
    }
    forget_known(&g);
    return status;
}

void trace_graft_finish(struct trace_graft *graft)
{
    trace_profile_finish(&graft->profile);
    mb_buf_finish(&graft->costs);
    mb_buf_finish(&graft->spots);
    mb_buf_finish(&graft->known.buf);
    mb_buf_finish(&graft->muted.buf);
}
