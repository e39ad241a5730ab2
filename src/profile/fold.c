#include "profile/tree.h"

#include <stdlib.h>

#define LAST UINT32_MAX

/* Calls within calls of their method, which are open, as far as nodes tell of them: a node has so
 * many calls more, or less, whose time is its callees', as weight says. What a stack repeats
 * cancels out, however high it is. */
struct prof_fold {
    uint64_t pending; /* time for child_total, modulo 2^64 */
    int32_t weight;   /* folded calls it makes less those it stands for */
    uint32_t next;    /* of those to be settled, + 1, or LAST; 0: not one of them */
};

bool prof_folds_init(struct prof_tree *tree)
{
    tree->first_fold = LAST;
    tree->folds = calloc((size_t)tree->section->capacity, sizeof(*tree->folds));
    return tree->folds != NULL;
}

/* From time on it weighs so much more. */
static void change(struct prof_tree *tree, uint32_t node, int32_t more, uint64_t time)
{
    struct prof_fold *fold = &tree->folds[node];

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
        change(tree, caller, 1, time);
        change(tree, node, -1, time);
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
