/* Whatever the sections of a trace hold, each thread has a tree: callers first, no time of a call's
 * own below 0 or below what it waited, and every record is in one or counted as damaged. */

#include "abi/section.h"
#include "fuzz.h"
#include "trace/trees.h"

#include <string.h>

static struct trace_trees trees;
static struct mb_buf copies[2];

static void check_tree(size_t thread, size_t *sum)
{
    size_t count = 0;
    const struct trace_node *nodes = trace_trees_of(&trees, thread, &count);

    for (size_t i = 0; i < count; i++) {
        bool is_outermost = nodes[i].parent == TRACE_NO_NODE;
        PROMISE(is_outermost || nodes[i].parent < i);
        PROMISE(nodes[i].depth == (is_outermost ? 0 : nodes[nodes[i].parent].depth + 1));
        PROMISE(nodes[i].inferred <= nodes[i].total);
        PROMISE(nodes[i].waited >= 0 && nodes[i].own >= nodes[i].waited);
        PROMISE(!is_outermost || !nodes[i].is_inner);
    }
    *sum += count;
}

static void check_trees(const struct abi_tracefile *file)
{
    struct abi_section_view threads;
    struct abi_section_view nodes;

    (void)abi_tracefile_section(file, ABI_SECTION_PROFILE_THREADS, 0,
                                sizeof(struct abi_profile_thread), &threads);
    (void)abi_tracefile_section(file, ABI_SECTION_PROFILE_NODES, 0, sizeof(struct abi_profile_node),
                                &nodes);
    const struct trace_tree_source source = {
        .threads = abi_section_rows(&threads, sizeof(struct abi_profile_thread), &copies[0]),
        .thread_count = threads.count,
        .nodes = abi_section_rows(&nodes, sizeof(struct abi_profile_node), &copies[1]),
        .node_count = nodes.count,
        .end = file->header.now,
        .ns_per_unit = file->header.ns_per_unit,
    };
    size_t sum = 0;
    PROMISE(trace_trees_make(&trees, &source, NULL) == MB_OK);
    for (size_t i = 0; i < source.thread_count; i++) {
        check_tree(i, &sum);
        const struct trace_usage usage = trace_usage_of(&source, i, 1000);
        PROMISE(usage.worked >= 0 && usage.ready >= 0 && usage.waited >= 0);
        PROMISE(usage.worked + usage.ready + usage.waited <= 1000);
    }
    PROMISE(sum + trees.damaged_nodes == source.node_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct abi_tracefile file;
    uint8_t *copy = malloc(size > 0 ? size : 1); /* aligned, its end watched */

    PROMISE(copy != NULL);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    if (abi_tracefile_open(&file, copy, size, NULL) == MB_OK) {
        check_trees(&file);
    }
    free(copy);
    return 0;
}
