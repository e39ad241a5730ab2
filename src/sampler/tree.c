#include "sampler/tree.h"

#include <stdlib.h>

#define FIRST_SLOTS 4096u

struct abi_stack_node *samp_tree_at(const struct samp_tables *tables, uint32_t node)
{
    struct abi_stack_node *nodes = (void *)tables->nodes.records;

    return &nodes[node];
}

void samp_tree_finish(struct samp_tree *tree)
{
    free(tree->slots);
    *tree = (struct samp_tree){0};
}

/* Calls of engines that know no bci are told apart by line. */
static uint32_t call_line(const struct abi_stack_node *node)
{
    return node->bci == ABI_STACK_NO_BCI ? node->line : ABI_STACK_NO_LINE;
}

static uint32_t hash_node(const struct abi_stack_node *node)
{
    uint64_t above =
        node->parent != ABI_STACK_NO_NODE ? node->parent : UINT64_C(1) << 32 | node->thread;
    uint64_t hash = (above << 20 ^ node->id) * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ node->bci ^ (uint64_t)call_line(node) << 16) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

static bool is_same(const struct abi_stack_node *a, const struct abi_stack_node *b)
{
    return a->parent == b->parent && a->id == b->id && a->thread == b->thread && a->bci == b->bci &&
           call_line(a) == call_line(b) && a->flags == b->flags;
}

/* The slot that has the node, or the free one where it belongs. */
static uint32_t *find_slot(const struct samp_tree *tree, const struct samp_tables *tables,
                           const struct abi_stack_node *node)
{
    uint32_t at = hash_node(node) & tree->slot_mask;

    while (tree->slots[at] != 0 && !is_same(samp_tree_at(tables, tree->slots[at] - 1), node)) {
        at = (at + 1) & tree->slot_mask;
    }
    return &tree->slots[at];
}

/* False without memory: then no node is new. */
static bool grow_slots(struct samp_tree *tree, const struct samp_tables *tables)
{
    uint32_t count = (uint32_t)samp_table_count(&tables->nodes);
    uint32_t wanted = FIRST_SLOTS;

    if (tree->slots != NULL && 2 * count <= tree->slot_mask) {
        return true;
    }
    while (wanted <= 2 * count) {
        wanted *= 2;
    }
    struct samp_tree more = {.slots = calloc(wanted, sizeof(*more.slots)), .slot_mask = wanted - 1};
    if (more.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        *find_slot(&more, tables, samp_tree_at(tables, i)) = i + 1;
    }
    free(tree->slots);
    *tree = more;
    return true;
}

/* A node like that; ABI_STACK_NO_NODE without room. */
static uint32_t find_node(struct samp_tree *tree, struct samp_tables *tables,
                          const struct abi_stack_node *wanted, const struct samp_place *caller)
{
    uint32_t index;
    bool has_room = grow_slots(tree, tables);

    if (tree->slots == NULL) {
        return ABI_STACK_NO_NODE; /* without memory */
    }
    uint32_t slot = *find_slot(tree, tables, wanted);
    if (slot != 0) {
        return slot - 1;
    }
    struct abi_stack_node *node = has_room ? samp_table_next(tables, &tables->nodes, &index) : NULL;
    if (node == NULL) {
        return ABI_STACK_NO_NODE;
    }
    node->parent = wanted->parent;
    node->id = wanted->id;
    node->thread = wanted->thread;
    node->bci = wanted->bci;
    node->flags = wanted->flags;
    node->line = wanted->line;
    if (caller != NULL && wanted->bci != ABI_STACK_NO_BCI) {
        node->line = caller->line;
    }
    *find_slot(tree, tables, wanted) = index + 1;
    samp_table_publish(&tables->nodes);
    return index;
}

uint32_t samp_tree_find(struct samp_tree *tree, struct samp_tables *tables,
                        const struct samp_stack *stack, bool *is_full)
{
    uint32_t found = ABI_STACK_NO_NODE;

    *is_full = false;
    for (size_t i = stack->count; i > 0 && !*is_full; i--) {
        const struct samp_place *caller = i < stack->count ? &stack->places[i] : NULL;
        const struct abi_stack_node wanted = {
            .parent = found,
            .id = stack->places[i - 1].id,
            .thread = stack->thread,
            .bci = caller != NULL ? caller->bci : ABI_STACK_NO_BCI,
            .flags = caller == NULL && stack->is_cut ? ABI_STACK_CUT : 0,
            .line = caller != NULL && caller->bci == ABI_STACK_NO_BCI ? caller->line
                                                                      : ABI_STACK_NO_LINE,
        };
        uint32_t node = find_node(tree, tables, &wanted, caller);
        *is_full = node == ABI_STACK_NO_NODE;
        found = *is_full ? found : node;
    }
    return found;
}
