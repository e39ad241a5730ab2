#include "trace/decoder.h"

#define NO_PLACE UINT32_MAX

/* In place: what is kept lies before what is read. elder[d] = place of the item before, among its
 * brothers at depth d. */
static size_t merge_items(struct trace_item *items, size_t count, uint32_t *elder)
{
    size_t kept = 0;

    elder[0] = NO_PLACE;
    for (size_t i = 0; i < count; i++) {
        const struct trace_item item = items[i];
        uint32_t *own = &elder[item.depth];
        bool makes_calls = i + 1 < count && items[i + 1].depth > item.depth;
        if (!makes_calls && *own != NO_PLACE && trace_can_merge(&items[*own], &item)) {
            trace_merge_into(&items[*own], &item);
            continue;
        }
        *own = (uint32_t)kept;
        own[1] = NO_PLACE;
        items[kept++] = item;
    }
    return kept;
}

static size_t find_deepest(const struct trace_stack *stack)
{
    int32_t depth = 0;

    for (size_t i = 0; i < stack->count; i++) {
        depth = stack->items[i].depth > depth ? stack->items[i].depth : depth;
    }
    return (size_t)depth;
}

enum mb_status trace_merge(struct mb_buf *scratch, struct trace_stack *stack, struct mb_error *err)
{
    uint32_t *elder = mb_buf_take(scratch, find_deepest(stack) + 2, sizeof(*elder));

    if (elder == NULL) {
        return mb_fail_memory(err);
    }
    stack->count = merge_items(stack->items, stack->count, elder);
    return MB_OK;
}
