#include "recorder/profile/tree.h"

#include "abi/record.h"
#include "base/pages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024u
#define GROWTH 4u
#define FREE_BYTE 0xFF
_Static_assert(ABI_PROFILE_NO_NODE == UINT32_MAX, "a slot of free bytes has no node");

/* The last nodes are reserved for outermost calls, so that calls without a node have one to
 * count in. */
#define OUTERMOST_SHARE 64u

/* All slots free. Not zero-filled by calloc: replacing the kernel's shared zero page at the
 * first store interrupts every CPU of the program, which takes 0.5 ms on a virtual machine. */
static struct prof_slot *make_slots(uint32_t count)
{
    struct prof_slot *slots = malloc(count * sizeof(*slots));

    if (slots != NULL) {
        memset(slots, FREE_BYTE, count * sizeof(*slots));
    }
    return slots;
}

bool prof_tree_init(struct prof_tree *tree, struct abi_trace_section *section,
                    struct abi_profile_node *nodes)
{
    *tree = (struct prof_tree){.section = section,
                               .nodes = nodes,
                               .room = (uint32_t)section->capacity,
                               .slot_mask = FIRST_SLOTS - 1};
    tree->slots = make_slots(FIRST_SLOTS);
    tree->next = mb_map_zeroes(PROF_PLACES((size_t)tree->room), sizeof(*tree->next));
    tree->older = mb_map_zeroes((size_t)tree->room + 1, sizeof(*tree->older));
    tree->methods = mb_map_zeroes(ABI_ID_MASK + 1, sizeof(*tree->methods));
    return prof_folds_init(tree) && tree->slots != NULL && tree->next != NULL &&
           tree->older != NULL && tree->methods != NULL;
}

void prof_tree_finish(struct prof_tree *tree)
{
    free(tree->slots);
    mb_unmap_zeroes(tree->next, PROF_PLACES((size_t)tree->room), sizeof(*tree->next));
    mb_unmap_zeroes(tree->older, (size_t)tree->room + 1, sizeof(*tree->older));
    mb_unmap_zeroes(tree->methods, ABI_ID_MASK + 1, sizeof(*tree->methods));
    prof_folds_finish(tree);
    *tree = (struct prof_tree){0};
}

static uint64_t hash_child(uint32_t row, uint32_t parent, uint32_t id)
{
    uint64_t above = parent != ABI_PROFILE_NO_NODE ? parent : ~(uint64_t)row;

    return ((above << ABI_ID_BITS) + id) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The slot of a child, or the free slot where it belongs. Comparing tags avoids reading most
 * other nodes. */
static inline struct prof_slot *find_slot(const struct prof_tree *tree, uint64_t hash, uint32_t row,
                                          uint32_t parent, uint32_t id)
{
    uint32_t at = (uint32_t)(hash >> 32) & tree->slot_mask;
    struct prof_slot *slot = &tree->slots[at];

    while (slot->node != ABI_PROFILE_NO_NODE &&
           (slot->tag != (uint32_t)hash ||
            !prof_is_child(&tree->nodes[slot->node], row, parent, id))) {
        at = (at + 1) & tree->slot_mask;
        slot = &tree->slots[at];
    }
    return slot;
}

static void move_slots(struct prof_tree *to, const struct prof_slot *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (from[i].node != ABI_PROFILE_NO_NODE) {
            const struct abi_profile_node *node = &to->nodes[from[i].node];
            uint64_t hash = hash_child(node->thread, node->parent, node->id);
            *find_slot(to, hash, node->thread, node->parent, node->id) = from[i];
        }
    }
}

/* Half of the slots are free for the next node, or at least some if memory is short.
 * False if there would be none. */
static bool have_slots(struct prof_tree *tree)
{
    uint32_t count = tree->slot_mask + 1;

    assert(tree->used_slots < count); /* or a search would never end */
    if (tree->used_slots < count / 2) {
        return true;
    }
    struct prof_slot *slots = count <= UINT32_MAX / GROWTH ? make_slots(count * GROWTH) : NULL;
    if (slots == NULL) {
        return tree->used_slots < count / 8 * 7;
    }
    struct prof_slot *old = tree->slots;
    tree->slots = slots;
    tree->slot_mask = count * GROWTH - 1;
    move_slots(tree, old, count);
    free(old);
    return true;
}

static uint32_t make_child(struct prof_tree *tree, uint32_t row, uint32_t parent, uint32_t id)
{
    uint64_t count = prof_get(&tree->section->written);
    uint64_t kept = parent != ABI_PROFILE_NO_NODE ? tree->section->capacity / OUTERMOST_SHARE : 0;

    if (count >= tree->capacity || count + kept >= tree->section->capacity || !have_slots(tree)) {
        return ABI_PROFILE_NO_NODE;
    }
    struct abi_profile_node *node = &tree->nodes[count];
    assert(parent == ABI_PROFILE_NO_NODE || parent < count);
    node->parent = parent;
    node->id = id;
    node->thread = row;
    /* Release: who sees the count finds the node. */
    atomic_store_explicit(&tree->section->written, count + 1, memory_order_release);
    return (uint32_t)count;
}

uint32_t prof_find_child(const struct prof_tree *tree, uint32_t row, uint32_t parent, uint32_t id)
{
    return find_slot(tree, hash_child(row, parent, id), row, parent, id)->node;
}

/* Nodes may have moved to other slots when one more was made. */
MB_NOINLINE static uint32_t add_child(struct prof_tree *tree, uint64_t hash, uint32_t row,
                                      uint32_t parent, uint32_t id)
{
    uint32_t node = make_child(tree, row, parent, id);

    if (node != ABI_PROFILE_NO_NODE) {
        struct prof_slot *slot = find_slot(tree, hash, row, parent, id);
        *slot = (struct prof_slot){node, (uint32_t)hash};
        tree->used_slots++;
    }
    return node;
}

uint32_t prof_child(struct prof_tree *tree, uint32_t row, uint32_t parent, uint32_t id)
{
    uint64_t hash = hash_child(row, parent, id);
    const struct prof_slot *slot = find_slot(tree, hash, row, parent, id);

    return MB_LIKELY(slot->node != ABI_PROFILE_NO_NODE) ? slot->node
                                                        : add_child(tree, hash, row, parent, id);
}

void prof_lane_finish(struct prof_lane *lane)
{
    free(lane->frames);
    free(lane->open);
    *lane = (struct prof_lane){0};
}

/* ---- Folded calls ---- */

#define LAST UINT32_MAX

/* Open recursive calls. weight is the number of folded calls that the node's calls have made,
 * less those folded into it: their time still has to be moved between nodes. Repetition on a
 * stack cancels out, so a high stack costs nothing. */
struct prof_fold {
    uint64_t pending; /* time for child_total, modulo 2^64 */
    int32_t weight;   /* folded calls it makes less those it stands for */
    uint32_t next;    /* of those to be settled, + 1, or LAST; 0: not one of them */
};

bool prof_folds_init(struct prof_tree *tree)
{
    tree->first_fold = LAST;
    tree->folds = mb_map_zeroes(tree->room, sizeof(*tree->folds));
    return tree->folds != NULL;
}

void prof_folds_finish(struct prof_tree *tree)
{
    mb_unmap_zeroes(tree->folds, tree->room, sizeof(*tree->folds));
}

/* Add to the node's weight from that time on. */
static void change_weight(struct prof_tree *tree, uint32_t node, int32_t more, uint64_t time)
{
    struct prof_fold *fold = &tree->folds[node];

    assert(node < tree->room);
    if (fold->next == 0) {
        fold->next = tree->first_fold;
        tree->first_fold = node + 1;
    }
    fold->weight += more;
    fold->pending += (uint64_t)more * (tree->settled - time); /* as if it had since then */
}

void prof_fold_begin(struct prof_tree *tree, uint32_t caller, uint32_t node, uint64_t time)
{
    if (caller != node) {
        change_weight(tree, caller, 1, time);
        change_weight(tree, node, -1, time);
    }
}

void prof_fold_end(struct prof_tree *tree, uint32_t caller, uint32_t node, uint64_t time)
{
    prof_fold_begin(tree, node, caller, time);
}

void prof_settle(struct prof_tree *tree, uint64_t now)
{
    uint32_t *place = &tree->first_fold;

    while (*place != LAST) {
        uint32_t node = *place - 1;
        struct prof_fold *fold = &tree->folds[node];
        assert(node < tree->room);
        uint64_t since = (uint64_t)fold->weight * (now - tree->settled);
        prof_add(&tree->nodes[node].child_total, fold->pending + since);
        fold->pending = 0;
        if (fold->weight != 0) {
            place = &fold->next;
        } else {
            *place = fold->next;
            fold->next = 0;
        }
    }
    tree->settled = now;
}
