/* Inside src/trace: the ways to match words, and the memory they share. */

#ifndef TRACE_DECODER_H
#define TRACE_DECODER_H

#include "trace/trace.h"

/* An entry that waits for its exit. */
struct trace_open {
    uint64_t start; /* upstream only: items remember it otherwise */
    uint32_t item;  /* its index; upstream: the id */
    uint32_t older; /* place of the next older open call of the same id, from 1; 0: none */
};

/* A decoder at work. Room is there for every entry that the runs hold. */
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
};

/* Our own rules: items come out in call order. With holes (count 0) if *has_holes. */
void trace_match_own(struct trace_match *match, bool *has_holes);

/* Upstream's rules: items come out in the order in which calls ended. */
void trace_match_upstream(struct trace_match *match);

/* Upstream's tree: bring items into call order, as far as they survive it. Returns their number.
 * nodes has room for item_count + 1, ordered for item_count. */
struct trace_node;
size_t trace_order_upstream(const struct trace_item *items, size_t count, struct trace_node *nodes,
                            struct trace_item *ordered);
extern const size_t trace_node_size;

/* A number for each id: all 0 when buf is empty, later as its user left them. NULL without memory. */
uint32_t *trace_id_table(struct mb_buf *buf);

/* Forget the newest open call. */
static inline void trace_pop_open(struct trace_match *match, uint32_t id)
{
    match->newest[id] = match->open[--match->open_count].older;
}

#endif
