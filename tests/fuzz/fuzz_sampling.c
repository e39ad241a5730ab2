/* Whatever the sections of a trace hold, a view of its samples leads nowhere outside of it. */

#include "abi/names.h"
#include "abi/sampling.h"
#include "fuzz.h"

#include <string.h>

static bool is_node_or_none(const struct abi_sampling_view *view, uint32_t node)
{
    return node == ABI_STACK_NO_NODE || node < view->node_count;
}

static void check_tables(const struct abi_sampling_view *view)
{
    for (size_t i = 0; i < view->thread_count; i++) {
        PROMISE(memchr(view->threads[i].name, 0, sizeof(view->threads[i].name)) != NULL);
    }
    for (size_t i = 0; i < view->lock_count; i++) {
        PROMISE(memchr(view->locks[i].class_name, 0, sizeof(view->locks[i].class_name)) != NULL);
    }
    for (size_t i = 0; i < view->node_count; i++) {
        const struct abi_stack_node *node = &view->nodes[i];
        PROMISE(node->thread < view->thread_count && node->id <= ABI_MAX_ID);
        PROMISE(node->parent == ABI_STACK_NO_NODE || node->parent < i);
    }
}

static void check_rings(const struct abi_sampling_view *view)
{
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->sample_counts[r]; i++) {
            PROMISE(view->samples[r][i].node < view->node_count);
            PROMISE(view->samples[r][i].state < ABI_SAMPLE_STATE_COUNT);
        }
        for (size_t i = 0; i < view->block_counts[r]; i++) {
            const struct abi_block *block = &view->blocks[r][i];
            PROMISE(block->thread < view->thread_count && block->lock <= view->lock_count);
            PROMISE(block->owner <= view->thread_count && is_node_or_none(view, block->node));
            PROMISE(is_node_or_none(view, block->owner_node));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct abi_tracefile trace;
    struct abi_sampling_view view;
    uint8_t *copy = malloc(size > 0 ? size : 1); /* aligned, its end watched */

    PROMISE(copy != NULL);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    if (abi_tracefile_open(&trace, copy, size, NULL) == MB_OK) {
        PROMISE(abi_sampling_open(&view, &trace, NULL) == MB_OK);
        check_tables(&view);
        check_rings(&view);
        abi_sampling_finish(&view);
    }
    free(copy);
    return 0;
}
