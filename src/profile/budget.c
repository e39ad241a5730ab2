#include "profile/profile.h"

#include <assert.h>
#include <stdlib.h>

void prof_note_busy(struct prof_tree *tree, uint32_t id)
{
    struct prof_method *method = &tree->methods[id];

    assert(method->busy_place <= tree->busy_count && tree->busy_count <= PROF_MAX_BUSY);
    if (method->busy_place == 0 && tree->busy_count < PROF_MAX_BUSY) {
        tree->busy[tree->busy_count++] = (struct prof_busy){.id = id};
        method->busy_place = tree->busy_count;
    }
    if (method->busy_place > 0) {
        struct prof_busy *busy = &tree->busy[method->busy_place - 1];
        busy->calls += method->calls - method->checked_calls;
        busy->own += method->own - method->checked_own;
        busy->has_caught = busy->has_caught || method->has_caught;
    }
}

/* By own time for each call; equal ones by id, so that the order is the same everywhere. */
static int compare_own(const void *a, const void *b)
{
    const struct prof_busy *x = a;
    const struct prof_busy *y = b;
    double mean_x = (double)x->own / (double)(x->calls + 1);
    double mean_y = (double)y->own / (double)(y->calls + 1);
    int order = (mean_x > mean_y) - (mean_x < mean_y);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

void prof_rank_busy(struct prof_tree *tree)
{
    qsort(tree->busy, tree->busy_count, sizeof(*tree->busy), compare_own);
    for (uint32_t i = 0; i < tree->busy_count; i++) {
        tree->methods[tree->busy[i].id].busy_place = i + 1;
    }
}

void prof_clear_busy(struct prof_tree *tree)
{
    for (uint32_t i = 0; i < tree->busy_count; i++) {
        tree->methods[tree->busy[i].id].busy_place = 0;
    }
    tree->busy_count = 0;
}
