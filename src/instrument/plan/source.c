#include "instrument/plan/source.h"

#include "archive/tree.h"

#include <stdlib.h>

struct opener {
    const char *const *paths;
    struct ar_tree *trees;
};

static enum mb_status open_path(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    const struct opener *opener = context;

    (void)worker;
    return ar_tree_open(&opener->trees[task], opener->paths[task], err);
}

static enum mb_status add_source(struct plan_sources *sources, struct ar_input *archive,
                                 struct mb_error *err)
{
    uint32_t number = sources->count++;
    struct plan_source *source = &sources->items[number];
    size_t entry_count = ar_input_count(archive);
    uint32_t class_count = 0;

    *source = (struct plan_source){.archive = archive, .outer = PLAN_NO_SOURCE};
    for (size_t i = 0; i < entry_count; i++) {
        class_count += ar_input_entry(archive, i)->kind == AR_ENTRY_CLASS;
    }
    source->classes = MB_NEW_ARRAY(&sources->arena, struct plan_class, class_count);
    if (source->classes == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < entry_count; i++) {
        if (ar_input_entry(archive, i)->kind == AR_ENTRY_CLASS) {
            struct plan_class *cls = &source->classes[source->class_count++];
            uint64_t size = ar_input_entry(archive, i)->size;
            cls->source = number;
            cls->entry = (uint32_t)i;
            cls->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
        }
    }
    return MB_OK;
}

/* Move the inputs out of the tree, so that each has one owner also after a failure. */
static enum mb_status add_tree(struct plan_sources *sources, struct ar_tree *tree,
                               struct mb_error *err)
{
    uint32_t first = sources->count;

    for (uint32_t i = 0; i < tree->node_count; i++) {
        const struct ar_node *node = &tree->nodes[i];
        struct ar_input *archive = node->input;
        tree->nodes[i].input = NULL;
        MB_TRY(add_source(sources, archive, err));
        struct plan_source *source = &sources->items[first + i];
        source->outer = node->outer != AR_NO_NODE ? first + node->outer : PLAN_NO_SOURCE;
        source->outer_entry = node->outer_entry;
        source->inner_count = node->inner_count;
    }
    for (uint32_t i = 0; i < tree->closed_count; i++) {
        const struct ar_closed *closed = &tree->closed[i];
        sources->closed[sources->closed_count++] =
            (struct plan_closed){first + closed->outer, closed->outer_entry, closed->reason};
    }
    return MB_OK;
}

static enum mb_status add_trees(struct plan_sources *sources, struct ar_tree *trees, size_t count,
                                struct mb_error *err)
{
    size_t node_count = 0;
    size_t closed_count = 0;

    for (size_t i = 0; i < count; i++) {
        node_count += trees[i].node_count;
        closed_count += trees[i].closed_count;
    }
    sources->items = MB_NEW_ARRAY(&sources->arena, struct plan_source, node_count);
    sources->closed = MB_NEW_ARRAY(&sources->arena, struct plan_closed, closed_count);
    if (sources->items == NULL || sources->closed == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        MB_TRY(add_tree(sources, &trees[i], err));
    }
    return MB_OK;
}

enum mb_status plan_sources_open(struct plan_sources *sources, const char *const *paths,
                                 size_t path_count, struct mb_workers *workers,
                                 struct mb_error *err)
{
    struct opener opener = {paths, calloc(path_count + 1, sizeof(struct ar_tree))};

    if (opener.trees == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = mb_workers_run(workers, path_count, open_path, &opener, err);
    status = status == MB_OK ? add_trees(sources, opener.trees, path_count, err) : status;
    for (size_t i = 0; i < path_count; i++) {
        ar_tree_finish(&opener.trees[i]);
    }
    free(opener.trees);
    return status;
}

void plan_sources_finish(struct plan_sources *sources)
{
    for (uint32_t i = sources->count; i-- > 0;) { /* those inside borrow from those around them */
        ar_input_close(sources->items[i].archive);
    }
    mb_arena_finish(&sources->arena);
    *sources = (struct plan_sources){0};
}

uint32_t plan_source_take_inner(const struct plan_sources *sources, uint32_t number, uint32_t *next,
                                size_t entry)
{
    uint32_t end = number + 1 + sources->items[number].inner_count;
    uint32_t found = *next;

    if (found >= end || sources->items[found].outer_entry != entry) {
        return PLAN_NO_SOURCE;
    }
    *next += 1 + sources->items[found].inner_count;
    return found;
}

bool plan_source_is_file_in_folder(const struct plan_sources *sources, uint32_t number)
{
    uint32_t outer = sources->items[number].outer;

    return outer != PLAN_NO_SOURCE &&
           ar_input_kind(sources->items[outer].archive) == AR_INPUT_FOLDER;
}

enum mb_status plan_sources_check_unchanged(const struct plan_sources *sources,
                                            struct mb_error *err)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        MB_TRY(ar_input_check_unchanged(sources->items[i].archive, err));
    }
    return MB_OK;
}
