/* From the recorder's words to calls, stacks and keys: pure functions of their input, linear, and
 * without recursion.
 *
 *   words --match--> calls in call order --trim--> at most 30 --key--> one id
 *
 * Times and durations are in the unit of the words; whoever prints them converts. */

#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One call, or several equal ones in a row. In a list of items callers come before their calls
 * and siblings in call order, so that depth alone tells the tree. */
struct trace_item {
    uint64_t start; /* of the first call; 0 where upstream decodes, which forgets it */
    int64_t duration;
    uint32_t id;
    int32_t depth; /* number of recorded callers; upstream also has gaps and negative ones */
    uint32_t count;
    uint32_t is_open; /* 1: was still running at the end */
};

/* The sum of two times, or their difference. Those of a damaged trace may pass 64 bits: they wrap. */
static inline int64_t trace_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t trace_subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* What the words could not tell. Nothing is dropped that is not counted here. */
struct trace_losses {
    uint64_t words;          /* read, without the empty ones */
    uint64_t skipped;        /* words before the first message, in strict mode */
    uint64_t lost_entries;   /* exits whose entry is missing */
    uint64_t lost_exits;     /* entries whose exit is missing */
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

struct trace_options {
    /* Answer as upstream's decoder does, in 32-bit durations and with each of its quirks (table in
     * src/trace/README.md). Words are in ms then. */
    bool upstream;
    bool strict;     /* start with the first message */
    bool close_open; /* what is open at the end lasts until end_time; upstream: as strict says */
    int64_t end_time;
    uint64_t now; /* the full time near which the 43 bits of the words lie; 0: they are full */
};

/* Zeroed memory is a valid decoder. Keeps its memory from one use to the next. One thread. */
struct trace_decoder {
    struct mb_buf items;
    struct mb_buf spare;   /* nodes of upstream's tree */
    struct mb_buf open;    /* the calls that are open, outermost first */
    struct mb_buf newest;  /* [id] = place in open of its newest open call, from 1; 0: none */
    struct mb_buf ordered; /* upstream: items in call order; else scratch */
};

/* MB_NO_MEMORY, or MB_TOO_LARGE from 2^31 entries on. */
MB_MUST_CHECK enum mb_status trace_decode(struct trace_decoder *decoder,
                                          const struct trace_run *runs, size_t run_count,
                                          const struct trace_options *options,
                                          struct trace_stack *stack, struct mb_error *err);
void trace_decoder_finish(struct trace_decoder *decoder);

/* What fits a report: at most 30 items. Rounds k = 1..60 drop items shorter than 5k ms from the
 * back until 30 are left; else the first 30 stay. Returns how many it put into kept. units_per_ms
 * is 1 where upstream decodes. */
#define TRACE_TRIMMED_MAX 30
size_t trace_trim(const struct trace_item *items, size_t count, double units_per_ms,
                  struct trace_item kept[TRACE_TRIMMED_MAX]);

/* The longest duration among items, at least 0. */
int64_t trace_cost(const struct trace_item *items, size_t count);

/* The id to group a (trimmed) stack by: of the items that last at least 30 % of cost the one with
 * the greatest (depth + 1) x duration, but no message if there is another. TRACE_NO_KEY for an
 * empty stack. */
#define TRACE_NO_KEY UINT32_MAX
uint32_t trace_key(const struct trace_item *items, size_t count, int64_t cost, bool upstream);

/* ---- What a report counts ---- */

/* Number of items of the subtree whose first item is at `first`. */
size_t trace_subtree(const struct trace_item *items, size_t count, size_t first);

/* One method, over all its calls. */
struct trace_method {
    uint32_t id;
    uint64_t calls;
    int64_t total; /* calls inside a call of the same method not counted again */
    int64_t self;  /* without the calls it made */
};

/* Zeroed memory is an empty table. */
struct trace_methods {
    struct mb_buf rows;   /* struct trace_method, in order of first sight */
    struct mb_buf index;  /* [id] = row, from 1; 0: none */
    struct mb_buf active; /* [id] = how many of the callers are this method */
    struct mb_buf callers;
};

/* Add the items of one thread. Items must be those of our own rules. Fails without memory only;
 * finish also after that. */
MB_MUST_CHECK enum mb_status trace_methods_add(struct trace_methods *methods,
                                               const struct trace_item *items, size_t count,
                                               struct mb_error *err);

/* Add the rows of part: what one thread did to what all did. As add. */
MB_MUST_CHECK enum mb_status trace_methods_merge(struct trace_methods *methods,
                                                 const struct trace_methods *part,
                                                 struct mb_error *err);

/* The rows, in order of first sight; borrowed until the next add, merge or reset. */
const struct trace_method *trace_methods_rows(const struct trace_methods *methods, size_t *count);

/* Forget the rows, keep the memory. */
void trace_methods_reset(struct trace_methods *methods);
void trace_methods_finish(struct trace_methods *methods);

#endif
