/* From the recorder's words to calls, stacks and keys: pure functions of their input, linear, and
 * without recursion.
 *
 *   words --match--> calls in call order --trim--> at most 30 --key--> one id
 *
 * Times and durations are in the unit of the words; what prints them converts. */

#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One call, or several equal ones in a row. In a list of items callers come before their calls
 * and siblings in call order, so that depth alone tells the tree. */
struct trace_item {
    uint64_t start; /* of the first call */
    int64_t duration;
    int64_t longest; /* of these calls */
    uint32_t id;
    int32_t depth; /* number of recorded callers */
    uint32_t count;
    uint16_t is_open;    /* 1: was still running at the end */
    uint8_t is_inferred; /* 1: over by that end, maybe since its start; no record of its own says */
    uint8_t is_sampled;  /* 1: from stacks that were sampled (trace/samples.h): no record at all */
};

/* The sum of two times, or their difference. Those of a damaged trace may pass 64 bits: they
 * wrap. */
static inline int64_t trace_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t trace_subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Losses of a decoding: everything left out is counted here. */
struct trace_losses {
    uint64_t words;          /* read, without the empty ones */
    uint64_t lost_entries;   /* exits whose entry is missing */
    uint64_t lost_exits;     /* calls left out, since nothing tells when they ended */
    uint64_t inferred_exits; /* calls that an exit around them closed */
    uint64_t deep_calls;     /* closed before their exit, being deeper than ABI_PROFILE_DEPTH */
    uint64_t time_went_back; /* calls that ended before they started */
    uint64_t open_calls;     /* at the end; they are items if close_open is set */
};

/* Views of the decoder's memory, until its next use. */
struct trace_stack {
    struct trace_item *items;
    size_t count;
    struct trace_losses losses;
};

/* A stretch of words, oldest first; borrowed. A ring has up to two. */
struct trace_run {
    const uint64_t *words;
    size_t count;
};

/* Takes the calls of some outermost calls in a row. stack has no losses, and lasts for the call. */
struct trace_visitor {
    enum mb_status (*visit)(void *context, const struct trace_stack *stack, struct mb_error *err);
    void *context;
};

struct trace_options {
    /* Takes all calls, a portion at a time, while they are in the processor's cache. NULL: they
     * stay in the stack of trace_decode. */
    const struct trace_visitor *visitor;
    bool close_open; /* what is open at the end lasts until end_time */
    bool has_kinds;  /* messages begin with a word of their kind, and end with one: left out */
    bool keep_apart; /* each call is an item; else equal leaves in a row become one */
    int64_t end_time;
    uint64_t now; /* the full time near which the 43 bits of the words lie; 0: they are full */
};

/* Zeroed memory is a valid decoder. Keeps its memory from one use to the next. One thread. */
struct trace_decoder {
    struct mb_buf items;
    struct mb_buf open;      /* the calls that are open, outermost first */
    union mb_numbers newest; /* [id] = place in open of its newest open call, from 1; 0 if none */
    struct mb_buf callers;   /* [depth] = number of callers that are items */
};

/* MB_NO_MEMORY, MB_TOO_LARGE from 2^31 entries on, or what the visitor says. With a visitor *stack
 * has the losses only. */
MB_MUST_CHECK enum mb_status trace_decode(struct trace_decoder *decoder,
                                          const struct trace_run *runs, size_t run_count,
                                          const struct trace_options *options,
                                          struct trace_stack *stack, struct mb_error *err);
void trace_decoder_finish(struct trace_decoder *decoder);

/* What fits a report: at most 30 items. Rounds k = 1..60 drop items shorter than 5k ms from the
 * back until 30 are left; else the first 30 stay. Returns how many it put into kept. */
#define TRACE_TRIMMED_MAX 30
size_t trace_trim(const struct trace_item *items, size_t count, double units_per_ms,
                  struct trace_item kept[TRACE_TRIMMED_MAX]);

/* Calls of one method below one caller as one item, where the first of them stood. kept holds no
 * more than were given; of more than it holds the first count. */
size_t trace_fold(const struct trace_item *items, size_t count,
                  struct trace_item kept[TRACE_TRIMMED_MAX]);

/* Merge calls that were kept apart into the items that a decoding without keep_apart gives, in
 * place. scratch keeps its memory from one use to the next. Linear. Fails without memory only. */
MB_MUST_CHECK enum mb_status trace_merge(struct mb_buf *scratch, struct trace_stack *stack,
                                         struct mb_error *err);

/* The id to group a (trimmed) stack by: of the items that last at least 30 % of cost the one with
 * the greatest (depth + 1) x duration, but no message if there is another. TRACE_NO_KEY for an
 * empty stack. */
#define TRACE_NO_KEY UINT32_MAX
uint32_t trace_key(const struct trace_item *items, size_t count, int64_t cost);

/* ---- What a report counts ---- */

/* Number of items of the subtree whose first item is at `first`. */
size_t trace_subtree(const struct trace_item *items, size_t count, size_t first);

/* One method, over all its calls. */
struct trace_method {
    uint32_t id;
    uint64_t calls;
    int64_t total; /* calls inside a call of the same method not counted again */
    int64_t self;  /* without the calls it made */
    int64_t longest;
    int64_t waited;   /* of self, as far as it is known: trace/profile.h */
    int64_t inferred; /* of total, as far as it is known */
    int64_t ready;
    int64_t idle;    /* of self, in idle loops */
    int64_t sampled; /* of total, an estimate from samples */
};

/* Zeroed memory is an empty table. */
struct trace_methods {
    MB_VEC(struct trace_method) rows; /* in order of first sight */
    union mb_numbers index;           /* [id] = row, from 1; 0 if none */
};

/* Add what the nodes of a tree (trace/profile.h) cost. Fails without memory only; finish also after
 * that. */
struct trace_node;
MB_MUST_CHECK enum mb_status trace_methods_add(struct trace_methods *methods,
                                               const struct trace_node *nodes, size_t count,
                                               struct mb_error *err);

/* The rows, in order of first sight; borrowed until the next add or reset. */
const struct trace_method *trace_methods_rows(const struct trace_methods *methods, size_t *count);

/* Forget the rows, keep the memory. */
void trace_methods_reset(struct trace_methods *methods);
void trace_methods_finish(struct trace_methods *methods);

#endif
