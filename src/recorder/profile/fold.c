#include "recorder/profile/tree.h"

#include "base/pages.h"

#include <assert.h>

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
