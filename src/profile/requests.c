#include "profile/tree.h"

#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/number.h"
#include "base/pages.h"
#include "profile/lengths.h"
#include "profile/readings.h"

#include <string.h>

#define LEAST_CALLS 60u /* of a method before its branches are believed */
#define PARTS 50u       /* a branch of its own has one of this number of calls, at least */

#define LEAST_REQUESTS 30u /* of a kind before one of them is slow */
#define SLOW_SHARE 33u     /* one of that number is, at least, */
#define MOST_SLOW 10u      /* and one of this number at most */

enum role {
    LINK = 1,   /* nearly all that it does is one call, which leads to a branching */
    POINT = 2,  /* each call of it makes one of several */
    ALWAYS = 4, /* each call of a branching makes this one as well */
    CHOSEN = 8, /* a setting says that its calls are requests */
};

/* Of a node. */
struct look {
    uint64_t branch_calls; /* of methods that not every call of it makes, */
    uint64_t branch_total;
    uint32_t branches; /* and how many these are, without rare ones */
    uint32_t link;     /* the call that it makes each time for nearly all of its time, + 1 */
    bool is_cut;       /* a call that it makes is muted, whose calls seem to be its own */
    uint8_t role;
    bool is_body;
    bool is_passed; /* a request goes on below it to become one of a kind */
};

/* ---- Branchings ---- */

static bool is_each_time(const struct abi_profile_node *caller, const struct abi_profile_node *node)
{
    uint64_t calls = prof_get(&caller->calls);
    uint64_t made = prof_get(&node->calls);

    return made >= calls - calls / 10 && made <= calls + calls / 10 + 1;
}

static void look_at_call(const struct prof_tree *tree, struct look *looks, uint32_t index)
{
    const struct abi_profile_node *node = &tree->nodes[index];
    const struct abi_profile_node *caller = &tree->nodes[node->parent];
    struct look *look = &looks[node->parent];
    uint64_t calls = prof_get(&node->calls);
    uint64_t total = prof_get(&node->total);

    look->is_cut |= tree->methods[node->id & ABI_ID_MASK].muted_since != 0;
    if (is_each_time(caller, node)) {
        uint64_t of_caller = prof_get(&caller->total);
        look->link = total >= of_caller - of_caller / 5 ? index + 1 : look->link;
        return;
    }
    look->branch_calls += calls;
    look->branch_total += total;
    look->branches += calls * PARTS >= prof_get(&caller->calls);
}

static bool does_branch(const struct abi_profile_node *node, const struct look *look)
{
    uint64_t calls = prof_get(&node->calls);

    return look->branches >= 2 && !look->is_cut && look->branch_calls >= calls - calls / 10 &&
           look->branch_calls <= calls + calls / 10 &&
           look->branch_total >= prof_get(&node->total) / 2;
}

/* What one row shows holds for the method, in all rows, from then on. Callees come first. */
static void find_roles(struct prof_tree *tree, struct look *looks, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        const struct abi_profile_node *node = &tree->nodes[i];
        struct look *look = &looks[i];
        if (prof_get(&node->calls) < LEAST_CALLS || (node->flags & ABI_PROFILE_FOLDED) != 0) {
            continue;
        }
        bool leads = look->link != 0 && (looks[look->link - 1].role & (LINK | POINT)) != 0;
        look->role = does_branch(node, look) ? POINT : leads ? LINK : 0;
        tree->methods[node->id & ABI_ID_MASK].role |= look->role;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct abi_profile_node *node = &tree->nodes[i];
        if (node->parent != ABI_PROFILE_NO_NODE && looks[node->parent].role == POINT &&
            is_each_time(&tree->nodes[node->parent], node)) {
            tree->methods[node->id & ABI_ID_MASK].role |= ALWAYS;
        }
    }
}

/* ---- Requests ---- */

/* It has never returned, or on each thread once; not what has just begun. */
static bool is_body(const struct abi_profile_node *node, const struct abi_profile_thread *row,
                    uint64_t since)
{
    uint64_t open = prof_get(&node->open_since);
    bool was = (node->flags & ABI_PROFILE_BODY) != 0 &&
               prof_get(&node->calls) <= prof_get(&row->thread_count);

    return was || (prof_get(&node->calls) == 0 && open != 0 && open <= since);
}

void prof_choose_request(struct prof_tree *tree, uint32_t id)
{
    tree->methods[id].role |= CHOSEN;
    tree->has_chosen = true;
}

bool prof_is_chosen(const struct prof_tree *tree, uint32_t index)
{
    const struct abi_profile_node *node = &tree->nodes[index];
    bool is_one = tree->has_chosen && (tree->methods[node->id & ABI_ID_MASK].role & CHOSEN) != 0;

    for (index = node->parent; is_one && index != ABI_PROFILE_NO_NODE; index = node->parent) {
        node = &tree->nodes[index];
        is_one = (tree->methods[node->id & ABI_ID_MASK].role & CHOSEN) == 0;
    }
    return is_one;
}

static uint32_t flags_of(struct prof_tree *tree, struct look *looks, uint32_t index,
                         const struct abi_profile_thread *rows, uint64_t since)
{
    const struct abi_profile_node *node = &tree->nodes[index];
    const struct look *caller = &looks[node->parent != ABI_PROFILE_NO_NODE ? node->parent : 0];
    bool is_first = node->parent == ABI_PROFILE_NO_NODE || caller->is_body;
    uint8_t role = tree->methods[node->id & ABI_ID_MASK].role;
    uint8_t above = 0;

    if (is_first && is_body(node, &rows[node->thread], since)) {
        looks[index].is_body = true;
        return ABI_PROFILE_BODY;
    }
    if (!is_first && caller->is_passed) {
        above = tree->methods[tree->nodes[node->parent].id & ABI_ID_MASK].role;
    }
    looks[index].is_passed = (is_first || above != 0) && (role & (LINK | POINT)) != 0;
    bool is_kind = is_first || ((above & POINT) != 0 && (role & ALWAYS) == 0);
    return is_kind && !looks[index].is_passed ? ABI_PROFILE_REQUEST : 0;
}

void prof_find_requests(struct prof_tree *tree, const struct abi_profile_thread *rows,
                        uint64_t since)
{
    uint32_t count = (uint32_t)prof_get(&tree->section->written);
    struct look *looks = mb_map_zeroes((size_t)count + 1, sizeof(*looks));

    for (uint32_t i = 0; looks != NULL && i < count; i++) {
        if (tree->nodes[i].parent != ABI_PROFILE_NO_NODE) {
            look_at_call(tree, looks, i);
        }
    }
    if (looks != NULL) {
        find_roles(tree, looks, count);
    }
    for (uint32_t i = 0; looks != NULL && i < count; i++) {
        struct abi_profile_node *node = &tree->nodes[i];
        uint32_t chosen = prof_is_chosen(tree, i) ? ABI_PROFILE_REQUEST : 0;
        uint32_t flags = tree->has_chosen ? chosen : flags_of(tree, looks, i, rows, since);
        node->flags = (node->flags & ABI_PROFILE_FOLDED) | flags;
    }
    mb_unmap_zeroes(looks, (size_t)count + 1, sizeof(*looks));
}

/* ---- Slow ones ---- */

/* The number of the method's kind, from 1; 0 without room. */
static uint8_t kind_of(struct prof_tree *tree, uint32_t id)
{
    struct prof_method *method = &tree->methods[id];

    if (method->kind == 0 && tree->kind_count < PROF_MAX_KINDS) {
        tree->kinds[tree->kind_count].id = id;
        method->kind = (uint8_t)++tree->kind_count;
    }
    return method->kind;
}

/* Above it are the slowest 3 % of those that have ended, with those that are like the last of them
 * unless these are many. */
static uint32_t find_limit(const struct prof_tree *tree, uint32_t id, uint64_t ended)
{
    uint32_t bucket = ABI_LENGTH_BUCKETS - 1;
    uint64_t above = prof_lengths_calls(tree->lengths, id, ABI_LENGTH_REQUEST, bucket);

    while (bucket > 1 && above * SLOW_SHARE <= ended) {
        bucket--;
        above += prof_lengths_calls(tree->lengths, id, ABI_LENGTH_REQUEST, bucket);
    }
    return above * MOST_SLOW <= ended ? bucket - 1 : bucket;
}

/* For how long its thread was without a processor, which it read at its ends. */
static bool find_ready(const struct prof_lane *lane, uint64_t length, uint64_t *ready)
{
    const struct prof_timed *timed = &lane->timed;
    uint64_t before;
    uint64_t after;
    bool is_known =
        prof_readings_find(timed->readings, timed->claim, lane->request.first, &before) &&
        prof_readings_find(timed->readings, timed->claim, lane->position, &after) &&
        after >= before;

    *ready = is_known ? mb_min_u64(abi_trace_units(timed->ns_per_unit, after - before), length) : 0;
    return is_known;
}

void prof_end_request(struct prof_tree *tree, struct prof_lane *lane,
                      const struct prof_frame *frame, uint64_t length)
{
    uint8_t number = kind_of(tree, frame->id);
    struct prof_kind *kind = &tree->kinds[number > 0 ? number - 1 : 0];
    bool is_whole = lane->request.node == frame->node + 1;

    lane->request.node = 0;
    if (number == 0 || tree->lengths == NULL) {
        return;
    }
    kind->ended++;
    uint64_t ready = 0;
    bool knows_ready = is_whole && find_ready(lane, length, &ready);
    if (knows_ready) {
        prof_lengths_count(tree->lengths, &kind->length, frame->id,
                           ABI_LENGTH_REQUEST | ABI_LENGTH_ON_PROCESSOR, length - ready);
    }
    bool is_slow = tree->slow_from > 0 ? length >= tree->slow_from
                                       : kind->limit > 0 && abi_length_bucket(length) > kind->limit;
    if (is_whole && is_slow && tree->slow_count < PROF_MAX_SLOW) {
        tree->slow[tree->slow_count++] = (struct prof_slow){
            .id = frame->id,
            .first = lane->request.first,
            .end = lane->position + 1,
            .start = frame->start,
            .length = length,
            .ready = ready,
            .knows_ready = knows_ready,
        };
    }
    if (kind->ended >= LEAST_REQUESTS && kind->ended >= kind->due) {
        kind->limit = find_limit(tree, frame->id, kind->ended);
        kind->due = kind->ended + kind->ended / 8;
    }
}
