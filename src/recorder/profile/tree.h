/* Inside src/recorder/profile: finding nodes, and folding calls into them. */

#ifndef RECORDER_PROFILE_TREE_H
#define RECORDER_PROFILE_TREE_H

#include "recorder/profile/profile.h"

/* Where a child is found. */
struct prof_slot {
    uint32_t node; /* ABI_PROFILE_NO_NODE: it is free */
    uint32_t tag;  /* other bits of the hash than its place */
};

/* The node of calls of id from parent; ABI_PROFILE_NO_NODE if not made yet. */
uint32_t prof_find_child(const struct prof_tree *tree, uint32_t row, uint32_t parent, uint32_t id);

/* A place in a tree is just after the entry of a node, or just after its exit. node is
 * ABI_PROFILE_NO_NODE if none is known. */
static inline uint32_t prof_inside(uint32_t node)
{
    return node * 2 + 2;
}

static inline uint32_t prof_behind(uint32_t node)
{
    return node * 2 + 3;
}

#define PROF_PLACES(node_count) (((node_count) + 1) * 2)

static inline bool prof_is_child(const struct abi_profile_node *node, uint32_t row, uint32_t parent,
                                 uint32_t id)
{
    return node->parent == parent && node->id == id && node->thread == row;
}

/* The node that was entered from that place last time, if it is the one of calls of id from parent:
 * mostly it is, and what would take a search takes a look. Else ABI_PROFILE_NO_NODE. */
static inline uint32_t prof_follow(const struct prof_tree *tree, uint32_t place, uint32_t row,
                                   uint32_t parent, uint32_t id)
{
    uint32_t next = tree->next[place];

    return next != 0 && prof_is_child(&tree->nodes[next - 1], row, parent, id)
               ? next - 1
               : ABI_PROFILE_NO_NODE;
}

/* Remember the node for the next lookup from that place. */
static inline void prof_lead(struct prof_tree *tree, uint32_t place, uint32_t node)
{
    tree->next[place] = node + 1;
}

/* The node of calls of id from parent (ABI_PROFILE_NO_NODE: outermost), made if need be.
 * ABI_PROFILE_NO_NODE if absent and the table is full. */
uint32_t prof_child(struct prof_tree *tree, uint32_t row, uint32_t parent, uint32_t id);

/* ---- Folded calls ---- */

/* False without memory. */
bool prof_folds_init(struct prof_tree *tree);
void prof_folds_finish(struct prof_tree *tree);

/* A folded call in node, made by a call in caller, begins or ends: its time counts in node, not
 * as its caller's own. prof_settle brings the nodes up to date. */
void prof_fold_begin(struct prof_tree *tree, uint32_t caller, uint32_t node, uint64_t time);
void prof_fold_end(struct prof_tree *tree, uint32_t caller, uint32_t node, uint64_t time);

/* ---- Counters ---- */

/* One writer: no need of an atomic addition. Relaxed: each counter is true by itself. */
static inline void prof_add(_Atomic(uint64_t) *to, uint64_t amount)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + amount,
                          memory_order_relaxed);
}

static inline void prof_set(_Atomic(uint64_t) *to, uint64_t value)
{
    atomic_store_explicit(to, value, memory_order_relaxed);
}

static inline uint64_t prof_get(const _Atomic(uint64_t) *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

#endif
