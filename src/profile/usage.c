#include "profile/tree.h"

#include "base/number.h"

/* ---- What was inside ---- */

static uint64_t since_shared(const struct prof_lane *lane, uint64_t from, uint64_t to)
{
    uint64_t since = mb_max_u64(from, lane->shared_time);

    return to > since ? to - since : 0;
}

void prof_add_inside(struct prof_lane *lane, uint64_t from, uint64_t to)
{
    lane->inside += since_shared(lane, from, to);
    lane->was_inside = true;
}

void prof_add_stretch(struct prof_lane *lane, uint64_t from, uint64_t to)
{
    uint64_t length = since_shared(lane, from, to);
    uint32_t node = lane->depth > 0 && !lane->has_gap ? lane->frames[lane->depth - 1].node
                                                      : ABI_PROFILE_NO_NODE;
    bool is_vague = lane->alike >= PROF_ALIKE && to - from <= lane->stretch + lane->tick;
    uint32_t i = 0;

    if (lane->stretch == 0 || !lane->has_begun || length == 0) {
        return;
    }
    while (i < lane->stretch_count && lane->stretches[i].node != node) {
        i++;
    }
    if (i == PROF_STRETCHES || node == ABI_PROFILE_NO_NODE) {
        lane->elsewhere += length;
        return;
    }
    if (i == lane->stretch_count) {
        lane->stretches[lane->stretch_count++] = (struct prof_stretch){.node = node};
    }
    *(is_vague ? &lane->stretches[i].vague : &lane->stretches[i].length) += length;
}

/* ---- Parts ---- */

/* Elapsed time; worked, ready and waited add up to it. */
struct parts {
    uint64_t whole;
    uint64_t worked;
    uint64_t ready;
    uint64_t waited;
    uint64_t late; /* more readiness: what was taken for waiting since the thread last ran */
};

/* The system counts time in the run queue when it ends, so a new amount may stem from any time
 * since the thread last ran. */
static struct parts divide_time(const struct prof_lane *lane, const struct prof_usage *usage,
                                uint64_t whole)
{
    uint64_t worked = mb_min_u64(usage->worked, whole);
    uint64_t ready = mb_min_u64(usage->ready, whole - worked);

    return (struct parts){
        .whole = whole,
        .worked = worked,
        .ready = ready,
        .waited = whole - worked - ready,
        .late = mb_min_u64(usage->ready - ready, lane->told.idle),
    };
}

/* Waiting that was readiness. */
static void take_back(struct prof_tree *tree, struct prof_lane *lane, uint64_t late)
{
    struct prof_told *told = &lane->told;

    prof_add(&lane->row->ready_least, mb_min_u64(late, told->row_waited));
    if (told->node != ABI_PROFILE_NO_NODE) {
        struct abi_profile_node *node = &tree->nodes[told->node];
        uint64_t ready = mb_min_u64(late, told->node_waited);
        prof_set(&node->waited_least, prof_get(&node->waited_least) - ready);
        prof_add(&node->ready_least, ready);
    }
    told->row_waited = 0;
    told->node_waited = 0;
    told->idle = 0;
}

/* Who is outside of calls mostly waits there: what it worked was inside, if it fits. */
static void add_to_row(struct prof_lane *lane, const struct prof_usage *usage,
                       const struct parts *p)
{
    uint64_t most = lane->was_inside ? mb_min_u64(lane->inside + usage->slack, p->whole) : 0;
    uint64_t worked = mb_min_u64(p->worked, most);
    uint64_t ready = mb_min_u64(p->ready, most - worked);

    prof_add(&lane->row->worked_least, worked);
    prof_add(&lane->row->ready_least, ready);
    lane->told.row_waited += mb_min_u64(p->waited, most - worked - ready);
}

/* How much of each unit of so many is filled. */
static double fill_part(uint64_t amount, uint64_t units)
{
    return (double)amount / (double)mb_max_u64(mb_max_u64(amount, units), 1);
}

/* A thread that does not run stores no words: its stretches without any have that time, each as
 * much of it as it is long; vague ones what is left. Late counts of readiness affect one node only.
 */
static void add_to_nodes(struct prof_tree *tree, struct prof_lane *lane, const struct parts *p)
{
    struct prof_told *told = &lane->told;
    uint32_t newest = lane->depth > 0 ? lane->frames[lane->depth - 1].node : ABI_PROFILE_NO_NODE;
    uint64_t idle = p->ready + p->waited;
    uint64_t all = lane->elsewhere;
    uint64_t vague = 0;

    told->node_waited = told->node == newest ? told->node_waited : 0;
    told->node = newest;
    for (uint32_t i = 0; i < lane->stretch_count; i++) {
        all += lane->stretches[i].length;
        vague += lane->stretches[i].vague;
    }
    double part = fill_part(p->waited, idle);
    double all_part = fill_part(mb_min_u64(idle, all), all);
    double vague_part = fill_part(idle - mb_min_u64(idle, all), vague);
    for (uint32_t i = 0; i < lane->stretch_count; i++) {
        const struct prof_stretch *stretch = &lane->stretches[i];
        struct abi_profile_node *node = &tree->nodes[stretch->node];
        double units = (double)stretch->length * all_part + (double)stretch->vague * vague_part;
        uint64_t waited = (uint64_t)(units * part);
        prof_add(&node->waited_least, waited);
        prof_add(&node->ready_least, (uint64_t)units - waited);
        told->node_waited += stretch->node == newest ? waited : 0;
    }
}

void prof_add_usage(struct prof_tree *tree, struct prof_lane *lane, const struct prof_usage *usage)
{
    uint64_t now = mb_max_u64(usage->now, lane->time);
    const struct parts parts = divide_time(lane, usage, since_shared(lane, 0, now));

    if (lane->depth > 0) {
        prof_add_inside(lane, lane->frames[0].start, now);
    }
    prof_add_stretch(lane, lane->time, now);
    if (usage->worked > 0 || usage->ready > 0) {
        take_back(tree, lane, parts.late);
    }
    add_to_row(lane, usage, &parts);
    add_to_nodes(tree, lane, &parts);
    lane->told.idle += parts.waited;
    atomic_fetch_or_explicit(&lane->row->flags,
                             ABI_PROFILE_BOUNDS | ABI_PROFILE_PARTS |
                                 (usage->knows_ready ? ABI_PROFILE_READY : 0u),
                             memory_order_relaxed);
    lane->inside = 0;
    lane->was_inside = false;
    lane->elsewhere = 0;
    lane->stretch_count = 0;
    lane->shared_time = now;
}
