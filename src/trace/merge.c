#include "trace/decoder.h"

#define NO_PLACE UINT32_MAX

/* elder[d] = place of the item before, among its brothers at depth d. */
static size_t merge(const struct trace_stack *stack, struct trace_item *merged, uint32_t *elder)
{
    size_t kept = 0;

    elder[0] = NO_PLACE;
    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        uint32_t *own = &elder[item->depth];
        bool makes_calls = i + 1 < stack->count && item[1].depth > item->depth;
        if (!makes_calls && *own != NO_PLACE && trace_can_merge(&merged[*own], item)) {
            trace_merge_into(&merged[*own], item);
            continue;
        }
        *own = (uint32_t)kept;
        own[1] = NO_PLACE;
        merged[kept++] = *item;
    }
    return kept;
}

enum mb_status trace_merge(struct trace_merger *merger, const struct trace_stack *stack,
                           struct trace_stack *merged, struct mb_error *err)
{
    mb_buf_reset(&merger->items);
    mb_buf_reset(&merger->elder);
    struct trace_item *items =
        (void *)mb_buf_extend(&merger->items, (stack->count + 1) * sizeof(*items));
    uint32_t *elder = (void *)mb_buf_extend(&merger->elder, (stack->count + 2) * sizeof(*elder));
    if (items == NULL || elder == NULL) {
        return mb_fail_memory(err);
    }
    *merged = (struct trace_stack){.items = items, .losses = stack->losses};
    merged->count = merge(stack, items, elder);
    return MB_OK;
}

void trace_merger_finish(struct trace_merger *merger)
{
    mb_buf_finish(&merger->items);
    mb_buf_finish(&merger->elder);
}
