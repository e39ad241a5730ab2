/* Words to calls to call order. Memory is allocated first, for the most that the words can need,
 * so that later steps cannot fail. */

#include "abi/record.h"
#include "trace/decoder.h"

#include <string.h>

/* Items of a portion, which should fit into the second-level cache. */
#define PORTION 4096

static size_t count_entries(const struct trace_run *runs, size_t run_count)
{
    size_t count = 0;

    for (size_t r = 0; r < run_count; r++) {
        for (size_t i = 0; i < runs[r].count; i++) {
            count += (size_t)(runs[r].words[i] >> 63);
        }
    }
    return count;
}

uint32_t *trace_id_table(union mb_numbers *table)
{
    const size_t size = ((size_t)ABI_ID_MASK + 1) * sizeof(uint32_t);

    return table->buf.size > 0 || mb_buf_zero(&table->buf, size) ? table->items : NULL;
}

/* Close the holes. Depths shrink by the callers that have none, so that what remains is a tree.
 * callers[d] = number of recorded callers of an item at raw depth d. */
static size_t close_holes(struct trace_item *items, size_t count, int32_t *callers)
{
    size_t kept = 0;

    callers[0] = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t *own = &callers[items[i].depth];
        bool is_hole = items[i].count == 0;
        own[1] = own[0] + !is_hole;
        if (!is_hole) {
            items[kept] = items[i];
            items[kept++].depth = own[0];
        }
    }
    return kept;
}

/* The words have the low bits of the time; now has all and lies near. */
static void widen_times(struct trace_stack *stack, uint64_t now)
{
    const uint64_t half = UINT64_C(1) << (ABI_TIME_BITS - 1);

    for (size_t i = 0; i < stack->count; i++) {
        uint64_t before = abi_record_elapsed(stack->items[i].start, now);
        uint64_t after = abi_record_elapsed(now, stack->items[i].start);
        stack->items[i].start = before < half ? now - before : now + after;
    }
}

/* Passes the matcher's items on. */
struct trace_decode {
    struct trace_decoder *decoder;
    const struct trace_options *options;
    struct mb_error *err;
    enum mb_status *status; /* of all portions */
};

static enum mb_status put_in_order(const struct trace_decode *decode, struct trace_match *match,
                                   struct trace_stack *stack)
{
    *stack = (struct trace_stack){.items = match->items, .count = match->item_count};
    if (match->has_holes) {
        int32_t *callers =
            mb_buf_take(&decode->decoder->callers, stack->count + 2, sizeof(*callers));
        if (callers == NULL) {
            return mb_fail_memory(decode->err);
        }
        stack->count = close_holes(stack->items, stack->count, callers);
    }
    if (decode->options->now >= ABI_TIME_MASK) {
        widen_times(stack, decode->options->now);
    }
    return MB_OK;
}

/* Nothing is visited after a failure. */
static void visit_portion(struct trace_match *match)
{
    const struct trace_decode *decode = match->decode;
    const struct trace_visitor *visitor = decode->options->visitor;
    struct trace_stack stack;

    if (*decode->status == MB_OK && match->item_count > 0) {
        *decode->status = put_in_order(decode, match, &stack);
    }
    if (*decode->status == MB_OK && match->item_count > 0) {
        *decode->status = visitor->visit(visitor->context, &stack, decode->err);
    }
    match->item_count = 0;
    match->has_holes = false;
}

static enum mb_status take_memory(struct trace_decoder *decoder, struct trace_match *match,
                                  struct mb_error *err)
{
    size_t entries = count_entries(match->runs, match->run_count);

    if (entries >= INT32_MAX) {
        return mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET, "%zu entries in one ring", entries);
    }
    match->items = mb_buf_take(&decoder->items, entries + 1, sizeof(*match->items));
    match->open = mb_buf_take(&decoder->open, entries + 1, sizeof(*match->open));
    match->newest = trace_id_table(&decoder->newest);
    return match->items != NULL && match->open != NULL && match->newest != NULL
               ? MB_OK
               : mb_fail_memory(err);
}

enum mb_status trace_decode(struct trace_decoder *decoder, const struct trace_run *runs,
                            size_t run_count, const struct trace_options *options,
                            struct trace_stack *stack, struct mb_error *err)
{
    enum mb_status status = MB_OK;
    const struct trace_decode decode = {decoder, options, err, &status};
    struct trace_match match = {
        .runs = runs,
        .run_count = run_count,
        .options = options,
        .portion = options->visitor != NULL ? PORTION : SIZE_MAX,
        .end_portion = visit_portion,
        .decode = &decode,
    };

    *stack = (struct trace_stack){0};
    MB_TRY(take_memory(decoder, &match, err));
    trace_match_calls(&match);
    if (options->visitor != NULL) {
        visit_portion(&match);
    } else {
        status = put_in_order(&decode, &match, stack);
    }
    stack->losses = match.losses;
    return status;
}

void trace_decoder_finish(struct trace_decoder *decoder)
{
    mb_buf_finish(&decoder->items);
    mb_buf_finish(&decoder->open);
    mb_buf_finish(&decoder->newest.buf);
    mb_buf_finish(&decoder->callers);
}

/* ---- Calls that were kept apart ---- */

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
