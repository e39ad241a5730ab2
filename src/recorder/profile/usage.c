#include "recorder/profile/tree.h"

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
    bool is_vague = lane->exact_from == UINT64_MAX && to - from <= lane->stretch + lane->tick;
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

/* The share of units that amount fills, at most 1. */
static double fill_part(uint64_t amount, uint64_t units)
{
    return (double)amount / (double)mb_max_u64(mb_max_u64(amount, units), 1);
}

/* ---- Among stretches ---- */

enum part { WORKED, READY, WAITED, PART_COUNT };

#define RAKINGS 6

/* The stretches of a node, or what is elsewhere; their parts add up to length. */
struct share {
    double length;
    double parts[PART_COUNT];
};

/* As the time of the node was until now; as likely as not each, where that is little. */
static struct share expect_share(const uint64_t before[PART_COUNT], double length, double whole)
{
    struct share share = {.length = length};

    for (int k = 0; k < PART_COUNT; k++) {
        share.parts[k] = (double)before[k] + whole / (double)PART_COUNT;
    }
    return share;
}

/* Fit what is expected to what is known: how long each is, and how much there is of each part. */
static void fit_shares(struct share *shares, size_t count, const double wanted[PART_COUNT])
{
    for (int turn = 0; turn < RAKINGS; turn++) {
        double sums[PART_COUNT] = {0};
        for (size_t i = 0; i < count; i++) {
            double *parts = shares[i].parts;
            double sum = parts[WORKED] + parts[READY] + parts[WAITED];
            for (int k = 0; k < PART_COUNT; k++) {
                parts[k] = sum > 0 ? parts[k] * shares[i].length / sum : 0;
                sums[k] += parts[k];
            }
        }
        for (size_t i = 0; i < count; i++) {
            for (int k = 0; k < PART_COUNT; k++) {
                shares[i].parts[k] *= sums[k] > 0 ? wanted[k] / sums[k] : 0;
            }
        }
    }
}

static void add_share(struct prof_tree *tree, struct prof_lane *lane, uint32_t index,
                      const struct share *share)
{
    struct abi_profile_node *node = &tree->nodes[index];
    struct prof_told *told = &lane->told;
    uint64_t waited = (uint64_t)(share->parts[WAITED] + 0.5);

    prof_add(&node->worked_since, (uint64_t)(share->parts[WORKED] + 0.5));
    prof_add(&node->ready_least, (uint64_t)(share->parts[READY] + 0.5));
    prof_add(&node->waited_least, waited);
    told->node_waited += index == told->node ? waited : 0;
}

/* Lengths that can have been idle: those of stretches, and, where that is not enough, as much as
 * needed of vague ones. Returns their sum; the last one is elsewhere. */
static double take_lengths(const struct prof_lane *lane, const struct prof_tree *tree,
                           uint64_t idle, struct share *shares)
{
    uint64_t all = lane->elsewhere;
    uint64_t vague = 0;

    for (uint32_t i = 0; i < lane->stretch_count; i++) {
        all += lane->stretches[i].length;
        vague += lane->stretches[i].vague;
    }
    double vague_part = fill_part(idle - mb_min_u64(idle, all), vague);
    double whole = (double)all + (double)vague * vague_part;
    for (uint32_t i = 0; i < lane->stretch_count; i++) {
        const struct prof_stretch *stretch = &lane->stretches[i];
        const struct abi_profile_node *node = &tree->nodes[stretch->node];
        const uint64_t before[] = {prof_get(&node->worked_since), prof_get(&node->ready_least),
                                   prof_get(&node->waited_least)};
        shares[i] = expect_share(
            before, (double)stretch->length + (double)stretch->vague * vague_part, whole);
    }
    shares[lane->stretch_count] =
        expect_share(lane->elsewhere_parts, (double)lane->elsewhere, whole);
    return whole;
}

/* A thread that does not run stores no words: its stretches without any have that time. Late counts
 * of readiness affect one node only. */
static void add_to_nodes(struct prof_tree *tree, struct prof_lane *lane, const struct parts *p)
{
    struct prof_told *told = &lane->told;
    uint32_t newest = lane->depth > 0 ? lane->frames[lane->depth - 1].node : ABI_PROFILE_NO_NODE;
    uint64_t idle = p->ready + p->waited;
    struct share shares[PROF_STRETCHES + 1];
    double whole = take_lengths(lane, tree, idle, shares);
    double part = idle > 0 ? mb_min_f64((double)idle, whole) / (double)idle : 0;
    const double wanted[] = {mb_max_f64(whole - (double)idle, 0), (double)p->ready * part,
                             (double)p->waited * part};

    told->node_waited = told->node == newest ? told->node_waited : 0;
    told->node = newest;
    fit_shares(shares, lane->stretch_count + 1, wanted);
    for (uint32_t i = 0; i < lane->stretch_count; i++) {
        add_share(tree, lane, lane->stretches[i].node, &shares[i]);
    }
    for (int k = 0; k < PART_COUNT; k++) {
        lane->elsewhere_parts[k] += (uint64_t)(shares[lane->stretch_count].parts[k] + 0.5);
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
