#include "watch/traces.h"

#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/clock.h"
#include "trace/trace.h"

#include <stdlib.h>

/* Newest first in what is kept: 2 MB. */
#define ROOM ((size_t)256 * 1024)

static double units_per_ms(const struct beat_copied *copied)
{
    double ns = (double)(copied->ns_per_unit >> 32) / (double)(copied->ns_per_unit & UINT32_MAX);

    return ns > 0 ? (double)MB_NS_PER_MS / ns : 1;
}

/* The calls that lie outside all others. */
static int64_t cost_of(const struct trace_item *items, size_t count)
{
    int64_t cost = 0;

    for (size_t i = 0; i < count; i++) {
        cost += items[i].depth == 0 ? items[i].duration : 0;
    }
    return cost;
}

static void put_items(const struct trace_stack *stack, const struct beat_copied *copied,
                      struct mon_trace *trace)
{
    struct trace_item kept[TRACE_TRIMMED_MAX];
    double units = units_per_ms(copied);
    size_t count = trace_trim(stack->items, stack->count, units, kept);

    trace->key = trace_key(kept, count, cost_of(stack->items, stack->count));
    trace->items.count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        trace->items.items[i] = (struct mon_item){
            .depth = (uint32_t)kept[i].depth,
            .id = kept[i].id,
            .count = kept[i].count,
            .ms = (int64_t)((double)kept[i].duration / units),
        };
    }
}

static bool decode_words(const uint64_t *words, const struct beat_copied *copied, bool is_open,
                         struct mon_trace *trace)
{
    const struct trace_run run = {words, copied->count};
    const struct trace_options options = {
        .close_open = is_open,
        .end_time = (int64_t)copied->now,
        .now = copied->now,
    };
    struct trace_decoder decoder = {0};
    struct trace_stack stack;

    bool is_decoded = trace_decode(&decoder, &run, 1, &options, &stack, NULL) == MB_OK;
    if (is_decoded) {
        put_items(&stack, copied, trace);
        uint64_t lost = stack.losses.lost_entries;
        trace->lost_entries = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
    }
    trace_decoder_finish(&decoder);
    return is_decoded;
}

bool watch_trace_take(const struct beat_here *from, uint64_t end, struct mon_trace *trace)
{
    struct beat_copied copied;

    *trace = (struct mon_trace){.key = TRACE_NO_KEY};
    if (from->ring == NULL) {
        return false;
    }
    uint64_t *words = malloc(ROOM * sizeof(*words));
    bool is_taken = words != NULL && beat_here_copy(from, end, words, ROOM, &copied) &&
                    decode_words(words, &copied, end == MON_TO_THE_END, trace);
    if (is_taken) {
        trace->is_lapped = copied.is_lapped;
    }
    free(words);
    return is_taken;
}
