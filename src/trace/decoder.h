/* Inside src/trace: the matcher of words, and the memory it works in. */

#ifndef TRACE_DECODER_H
#define TRACE_DECODER_H

#include "abi/names.h"
#include "trace/trace.h"

/* An entry that waits for its exit. */
struct trace_open {
    uint32_t item;  /* its index */
    uint32_t older; /* place of the next older open call of the same id, from 1; 0 if none */
};

/* The state of one decoding, with room for every entry of the runs. */
struct trace_match {
    struct trace_item *items;
    size_t item_count;
    struct trace_open *open;
    size_t open_count;
    uint32_t *newest;
    const struct trace_run *runs;
    size_t run_count;
    const struct trace_options *options;
    struct trace_losses losses;
    bool has_holes; /* items with count 0 */

    /* No call is open, and portion items or more are there: end_portion takes them. */
    size_t portion;
    void (*end_portion)(struct trace_match *match);
    const struct trace_decode *decode; /* for end_portion */
};

/* Equal calls in a row count and last together. item makes no calls. */
static inline bool trace_can_merge(const struct trace_item *into, const struct trace_item *item)
{
    return into->depth == item->depth && into->id == item->id && item->depth != 0 &&
           item->id != ABI_MESSAGE_ID && into->is_inferred == item->is_inferred;
}

static inline void trace_merge_into(struct trace_item *into, const struct trace_item *item)
{
    into->count += item->count;
    into->duration = trace_add(into->duration, item->duration);
    into->longest = item->longest > into->longest ? item->longest : into->longest;
    into->is_open |= item->is_open;
}

/* Items come out in call order. */
void trace_match_calls(struct trace_match *match);

/* A number for each id: all 0 at first, later as its user left them. NULL without memory. */
uint32_t *trace_id_table(union mb_numbers *table);

/* Forget the newest open call. */
static inline void trace_pop_open(struct trace_match *match, uint32_t id)
{
    match->newest[id] = match->open[--match->open_count].older;
}

#endif
