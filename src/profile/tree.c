#include "profile/tree.h"

#include "abi/record.h"

#include <stdlib.h>

/* The last nodes are for outermost calls: whatever is folded then has somewhere to go. */
#define OUTERMOST_SHARE 64u

static uint32_t slots_for(uint64_t node_count)
{
    uint32_t count = 1024;

    while (count < node_count * 2) {
        count *= 2;
    }
    return count;
}

bool prof_tree_init(struct prof_tree *tree, struct abi_trace_section *section,
                    struct abi_profile_node *nodes)
{
    uint32_t slot_count = slots_for(section->capacity);

    *tree = (struct prof_tree){.section = section, .nodes = nodes, .slot_mask = slot_count - 1};
    tree->slots = calloc(slot_count, sizeof(*tree->slots));
    tree->methods = calloc(ABI_ID_MASK + 1, sizeof(*tree->methods));
    return tree->slots != NULL && tree->methods != NULL;
}

void prof_tree_finish(struct prof_tree *tree)
{
    free(tree->slots);
    free(tree->methods);
    *tree = (struct prof_tree){0};
}

static uint64_t hash_child(uint32_t row, uint32_t parent, uint32_t id)
{
    uint64_t above = parent != ABI_PROFILE_NO_NODE ? parent : ~(uint64_t)row;

    return ((above << ABI_ID_BITS) + id) * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_child(const struct abi_profile_node *node, uint32_t row, uint32_t parent,
                     uint32_t id)
{
    return node->parent == parent && node->id == id && node->thread == row;
}

MB_NOINLINE static uint32_t make_child(struct prof_tree *tree, uint32_t row, uint32_t parent,
                                       uint32_t id)
{
    uint64_t count = prof_get(&tree->section->written);
    uint64_t kept = parent != ABI_PROFILE_NO_NODE ? tree->section->capacity / OUTERMOST_SHARE : 0;

    if (count >= tree->capacity || count + kept >= tree->section->capacity) {
        prof_add(&tree->section->lost, 1);
        return ABI_PROFILE_NO_NODE;
    }
    struct abi_profile_node *node = &tree->nodes[count];
    node->parent = parent;
    node->id = id;
    node->thread = row;
    /* Release: who sees the count finds the node. */
    atomic_store_explicit(&tree->section->written, count + 1, memory_order_release);
    return (uint32_t)count;
}

/* The slot of a child, or the free one where it belongs. Its tag spares a look at most of the nodes
 * that are not the one. */
static inline struct prof_slot *find_slot(const struct prof_tree *tree, uint64_t hash, uint32_t row,
                                          uint32_t parent, uint32_t id)
{
    uint32_t at = (uint32_t)(hash >> 32) & tree->slot_mask;
    struct prof_slot *slot = &tree->slots[at];

    while (slot->node != 0 && (slot->tag != (uint32_t)hash ||
                               !is_child(&tree->nodes[slot->node - 1], row, parent, id))) {
        at = (at + 1) & tree->slot_mask;
        slot = &tree->slots[at];
    }
    return slot;
}

uint32_t prof_find_child(const struct prof_tree *tree, uint32_t row, uint32_t parent, uint32_t id)
{
    /* Without a node: one less than 1. */
    return find_slot(tree, hash_child(row, parent, id), row, parent, id)->node - 1;
}

uint32_t prof_child(struct prof_tree *tree, uint32_t row, uint32_t parent, uint32_t id)
{
    uint64_t hash = hash_child(row, parent, id);
    struct prof_slot *slot = find_slot(tree, hash, row, parent, id);

    if (MB_LIKELY(slot->node != 0)) {
        return slot->node - 1;
    }
    uint32_t node = make_child(tree, row, parent, id);
    if (node != ABI_PROFILE_NO_NODE) {
        *slot = (struct prof_slot){node + 1, (uint32_t)hash};
    }
    return node;
}
