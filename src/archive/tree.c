#include "archive/tree.h"

#include <stdlib.h>

/* Make room for one more item in a list that doubles. */
static void *grow_list(void *items, uint32_t count, size_t item_size)
{
    bool is_full = (count & (count - 1)) == 0; /* 0 and powers of two */
    size_t capacity = count > 0 ? 2 * (size_t)count : 1;

    return is_full ? realloc(items, capacity * item_size) : items;
}

/* Takes over the input. */
static enum mb_status add_node(struct ar_tree *tree, const struct ar_node *node,
                               struct mb_error *err)
{
    struct ar_node *nodes = grow_list(tree->nodes, tree->node_count, sizeof(*nodes));

    if (nodes == NULL) {
        ar_input_close(node->input);
        return mb_fail_memory(err);
    }
    tree->nodes = nodes;
    tree->nodes[tree->node_count++] = *node;
    return MB_OK;
}

static enum mb_status add_closed(struct ar_tree *tree, const struct ar_closed *closed,
                                 struct mb_error *err)
{
    struct ar_closed *list = grow_list(tree->closed, tree->closed_count, sizeof(*list));

    if (list == NULL) {
        return mb_fail_memory(err);
    }
    tree->closed = list;
    tree->closed[tree->closed_count++] = *closed;
    return MB_OK;
}

/* A file below a folder needs no unpacking. */
static uint64_t unpacked_size(const struct ar_input *outer, const struct ar_entry *entry)
{
    bool is_packed = ar_input_kind(outer) == AR_INPUT_JAR && entry->method != AR_METHOD_STORE;

    return is_packed ? entry->size : 0;
}

/* Within the limits, open the jar at the entry. */
static enum mb_status open_entry(struct ar_tree *tree, const struct ar_input *outer, uint32_t entry,
                                 unsigned depth, struct ar_input **input, struct mb_error *err)
{
    uint64_t size = unpacked_size(outer, ar_input_entry(outer, entry));

    if (depth > AR_MAX_DEPTH) {
        return mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET, "jars in jars over %d deep",
                       AR_MAX_DEPTH);
    }
    if (size > AR_MAX_UNPACKED - tree->unpacked_size) {
        return mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET, "packed jars inside exceed %u MiB",
                       (unsigned)(AR_MAX_UNPACKED >> 20));
    }
    tree->unpacked_size += size;
    return ar_input_open_inner(input, outer, entry, err);
}

static enum mb_status open_inner(struct ar_tree *tree, uint32_t number, unsigned depth,
                                 struct mb_error *err);

static enum mb_status add_entry(struct ar_tree *tree, uint32_t outer, uint32_t entry,
                                unsigned depth, struct mb_error *err)
{
    const struct ar_input *archive = tree->nodes[outer].input;
    struct ar_node node = {.outer = outer, .outer_entry = entry};
    struct ar_closed closed = {outer, entry, {0}};

    if (tree->node_count + tree->closed_count >= AR_MAX_NODES) {
        return mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET, "over %d jars inside", AR_MAX_NODES);
    }
    enum mb_status status = open_entry(tree, archive, entry, depth, &node.input, &closed.reason);
    if (status == MB_OK) {
        MB_TRY(add_node(tree, &node, err));
        return open_inner(tree, tree->node_count - 1, depth + 1, err);
    }
    struct mb_text name = ar_input_entry(archive, entry)->name;
    mb_error_in_entry(&closed.reason, ar_input_path(archive), name.data, name.size);
    if (status == MB_BAD_ARCHIVE) {
        return add_closed(tree, &closed, err);
    }
    if (err != NULL) {
        *err = closed.reason;
    }
    return status;
}

/* As deep as AR_MAX_DEPTH. */
static enum mb_status open_inner(struct ar_tree *tree, uint32_t number, unsigned depth,
                                 struct mb_error *err)
{
    const struct ar_input *input = tree->nodes[number].input;

    for (size_t i = 0; i < ar_input_count(input); i++) {
        if (ar_input_entry(input, i)->kind == AR_ENTRY_JAR) {
            MB_TRY(add_entry(tree, number, (uint32_t)i, depth, err));
        }
    }
    tree->nodes[number].inner_count = tree->node_count - number - 1;
    return MB_OK;
}

enum mb_status ar_tree_open(struct ar_tree *tree, const char *path, struct mb_error *err)
{
    struct ar_node node = {.outer = AR_NO_NODE};

    MB_TRY(ar_input_open(&node.input, path, err));
    MB_TRY(add_node(tree, &node, err));
    enum mb_status status = open_inner(tree, 0, 1, err);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

void ar_tree_finish(struct ar_tree *tree)
{
    for (uint32_t i = tree->node_count; i-- > 0;) {
        ar_input_close(tree->nodes[i].input);
    }
    free(tree->nodes);
    free(tree->closed);
    *tree = (struct ar_tree){0};
}
