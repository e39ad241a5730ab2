#include "profile/tree.h"

#include "base/number.h"

/* ---- What was inside ---- */

void prof_add_root(struct prof_lane *lane, const struct prof_frame *frame, uint64_t time)
{
    uint64_t since = frame->start > lane->shared_time ? frame->start : lane->shared_time;
    uint64_t inside = time > since ? time - since : 0;
    uint32_t i = 0;

    while (i < lane->root_count && lane->roots[i].node != frame->node) {
        i++;
    }
    if (i == PROF_ROOTS) {
        lane->roots[PROF_ROOTS - 1].inside += inside;
        return;
    }
    if (i == lane->root_count) {
        lane->roots[lane->root_count++] = (struct prof_root){.node = frame->node};
    }
    lane->roots[i].inside += inside;
}

void prof_add_stretch(struct prof_lane *lane, uint64_t from, uint64_t to)
{
    uint64_t since = from > lane->shared_time ? from : lane->shared_time;
    uint32_t i = 0;

    if (lane->stretch == 0 || lane->depth == 0 || lane->has_gap || to <= since) {
        return;
    }
    uint32_t node = lane->frames[lane->depth - 1].node;
    while (i < lane->stretch_count && lane->stretches[i].node != node) {
        i++;
    }
    if (i == PROF_STRETCHES || node == ABI_PROFILE_NO_NODE) {
        return;
    }
    if (i == lane->stretch_count) {
        lane->stretches[lane->stretch_count++] = (struct prof_stretch){.node = node};
    }
    lane->stretches[i].length += to - since;
}

static uint64_t sum_inside(const struct prof_lane *lane)
{
    uint64_t inside = 0;

    for (uint32_t i = 0; i < lane->root_count; i++) {
        inside += lane->roots[i].inside;
    }
    return inside;
}

/* ---- Bounds ---- */

/* Elapsed time, with lower bounds of its parts. */
struct parts {
    uint64_t whole;
    uint64_t worked;
    uint64_t ready;
    uint64_t waited;
};

/* The system counts time in the run queue when it ends, so a new amount may stem from any time
 * since the thread last ran. */
static struct parts divide_time(const struct prof_lane *lane, const struct prof_usage *usage,
                                uint64_t whole)
{
    uint64_t worked = mb_min_u64(usage->worked, whole);
    uint64_t idle = whole - worked;

    return (struct parts){
        .whole = whole,
        .worked = usage->is_first ? 0 : worked,
        .ready =
            usage->is_first || usage->ready < lane->told.idle ? 0 : usage->ready - lane->told.idle,
        .waited = idle - mb_min_u64(usage->ready, idle),
    };
}

/* A lower bound of a part inside calls: as much as possible is taken to be outside. */
static uint64_t least_inside(uint64_t part, const struct parts *p, uint64_t inside)
{
    uint64_t outside = p->whole - mb_min_u64(inside, p->whole);

    return part > outside ? part - outside : 0;
}

static void take_from(_Atomic(uint64_t) *least, uint64_t amount)
{
    uint64_t before = prof_get(least);

    prof_set(least, before - mb_min_u64(amount, before));
}

/* Waiting counted since the thread last ran may have been readiness. */
static void take_back(struct prof_tree *tree, struct prof_lane *lane, uint64_t ready)
{
    struct prof_told *told = &lane->told;

    take_from(&lane->row->waited_least, mb_min_u64(ready, told->row_waited));
    if (told->node != ABI_PROFILE_NO_NODE) {
        take_from(&tree->nodes[told->node].waited_least, mb_min_u64(ready, told->node_waited));
    }
    told->row_waited = 0;
    told->node_waited = 0;
    told->idle = 0;
}

/* All readiness was inside if the thread was always inside since it last ran. */
static void add_to_row(struct prof_lane *lane, const struct prof_usage *usage,
                       const struct parts *p)
{
    uint64_t inside = sum_inside(lane);
    uint64_t sure = inside > usage->slack ? inside - usage->slack : 0;
    uint64_t waited = least_inside(p->waited, p, sure);
    bool is_inside = inside >= p->whole && !usage->is_first;
    uint64_t ready =
        is_inside && lane->told.is_inside ? usage->ready : least_inside(p->ready, p, sure);

    prof_add(&lane->row->worked_least, least_inside(p->worked, p, sure));
    prof_add(&lane->row->ready_least, ready);
    prof_add(&lane->row->waited_least, waited);
    lane->told.row_waited += waited;
    lane->told.is_inside = is_inside;
}

/* A thread that does not run stores no words, so late counts of readiness affect one node only. */
static void add_to_nodes(struct prof_tree *tree, struct prof_lane *lane,
                         const struct prof_usage *usage, const struct parts *p)
{
    struct prof_told *told = &lane->told;
    uint32_t newest = lane->depth > 0 ? lane->frames[lane->depth - 1].node : ABI_PROFILE_NO_NODE;
    uint32_t before = told->is_in_node ? told->node : ABI_PROFILE_NO_NODE;

    told->node_waited = told->node == newest ? told->node_waited : 0;
    told->node = newest;
    told->is_in_node = false;
    for (uint32_t i = 0; i < lane->stretch_count; i++) {
        const struct prof_stretch *stretch = &lane->stretches[i];
        struct abi_profile_node *node = &tree->nodes[stretch->node];
        uint64_t sure = stretch->length > usage->slack ? stretch->length - usage->slack : 0;
        uint64_t waited = least_inside(p->waited, p, sure);
        bool is_all = stretch->length >= p->whole && !usage->is_first;
        prof_add(&node->waited_least, waited);
        prof_add(&node->ready_least, is_all && stretch->node == before
                                         ? usage->ready
                                         : least_inside(p->ready, p, sure));
        if (stretch->node == newest) {
            told->node_waited += waited;
            told->is_in_node = is_all;
        }
    }
}

static void add_bounds(struct prof_tree *tree, struct prof_lane *lane,
                       const struct prof_usage *usage, uint64_t whole)
{
    const struct parts parts = divide_time(lane, usage, whole);

    if (usage->worked > 0 || usage->ready > 0) {
        take_back(tree, lane, usage->ready);
    }
    add_to_row(lane, usage, &parts);
    add_to_nodes(tree, lane, usage, &parts);
    lane->told.idle += whole - mb_min_u64(usage->worked, whole);
    atomic_fetch_or_explicit(&lane->row->flags,
                             ABI_PROFILE_BOUNDS | (usage->knows_ready ? ABI_PROFILE_READY : 0u),
                             memory_order_relaxed);
}

/* ---- Shares ---- */

static void share_out(struct prof_tree *tree, const struct prof_lane *lane, uint64_t cpu_ns,
                      uint64_t whole)
{
    uint64_t inside = sum_inside(lane);
    uint64_t all = inside > whole ? inside : whole;

    for (uint32_t i = 0; i < lane->root_count; i++) {
        const struct prof_root *root = &lane->roots[i];
        if (root->node != ABI_PROFILE_NO_NODE && all > 0) {
            double share = (double)root->inside / (double)all;
            prof_add(&tree->nodes[root->node].cpu_ns, (uint64_t)((double)cpu_ns * share));
        }
    }
}

void prof_share_cpu(struct prof_tree *tree, struct prof_lane *lane, const struct prof_usage *usage)
{
    uint64_t now = usage->now > lane->time ? usage->now : lane->time;
    uint64_t whole = now > lane->shared_time ? now - lane->shared_time : 0;

    if (lane->depth > 0) {
        prof_add_root(lane, &lane->frames[0], now);
        prof_add_stretch(lane, lane->time, now);
    }
    share_out(tree, lane, usage->cpu_ns, whole);
    add_bounds(tree, lane, usage, whole);
    lane->root_count = 0;
    lane->stretch_count = 0;
    lane->shared_time = now;
}
