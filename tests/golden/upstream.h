/* Upstream's decoder with each of its quirks (README.md): what the recorded cases prove, and what
 * our own rules are compared with. Words and times are in ms. Ends the process without memory. */

#ifndef GOLDEN_UPSTREAM_H
#define GOLDEN_UPSTREAM_H

#include "trace/trace.h"

struct upstream_options {
    bool strict;      /* start with the first message, and close what is open at the end */
    int64_t end_time; /* until when that lasts */
};

/* The calls in call order, as far as they survive; start is 0, depths may have gaps and be
 * negative. The caller frees stack->items. */
void upstream_decode(const uint64_t *words, size_t count, const struct upstream_options *options,
                     struct trace_stack *stack);

/* The longest duration among items, at least 0. */
int64_t upstream_cost(const struct trace_item *items, size_t count);

/* trace_key with upstream's rounding: 30 % in single precision, products in 32 bits. */
uint32_t upstream_key(const struct trace_item *items, size_t count, int64_t cost);

/* Inside: bring items from the order in which calls ended into call order. ordered has room for
 * count. Returns how many are left. */
size_t upstream_order(const struct trace_item *items, size_t count, struct trace_item *ordered);

#endif
