/* What the chart of the page draws: calls as they come in, then columns of them (page/data.js reads
 * what is written here). */

#ifndef FORMATS_HTML_CALLS_H
#define FORMATS_HTML_CALLS_H

#include "answer/facts.h"
#include "base/buf.h"
#include "base/vec.h"

/* More than this is too much for a file that is mailed: the shortest calls and nodes are left out,
 * which leaves whole trees, since a call is no shorter than those in it. */
struct format_html_limits {
    size_t calls;
    size_t nodes;
    size_t bytes; /* packed, with names and figures, of which nothing is left out */
};
#define FORMAT_HTML_LIMITS                                   \
    {                                                        \
        .calls = 1500000, .nodes = 300000, .bytes = 9000000, \
    }

struct format_html_item {
    uint64_t start_ns;
    uint64_t duration_ns;
    uint32_t id;
    uint32_t depth_flags; /* depth * 4 + 1 if it was still running, + 2 if it is sampled */
};
MB_VEC_TYPE(format_html_items, struct format_html_item);

/* Of one thread. */
struct format_html_thread {
    const struct answer_thread *thread;
    union format_html_items calls; /* in call order */
};

/* A writer's state. Zeroed memory is none; each is finished. */
struct format_html_calls {
    MB_VEC(struct format_html_thread) threads;
    bool failed; /* without memory */
};

void format_html_calls_thread(struct format_html_calls *all, const struct answer_thread *thread);
void format_html_calls_add(struct format_html_calls *all, const struct answer_clock *clock,
                           const struct trace_stack *stack);
void format_html_calls_finish(struct format_html_calls *all);

/* The elements of the page that hold them. out fails without memory. */
void format_html_put_data(const struct format_html_calls *all, const struct answer_facts *facts,
                          struct format_html_limits limits, struct mb_buf *out);

/* Waits for locks as the elements of a JSON array (html_waits.c). */
void format_html_put_blocks(const struct answer_blocks *blocks, const struct answer_names *names,
                            struct mb_buf *json);

/* ---- Which calls the page draws, and the numbers of their methods ---- */

/* all and facts are set by the caller; the rest is zeroed until format_html_pick. Methods
 * are numbered by how often they are called: most numbers are small. */
struct format_html_picks {
    const struct format_html_calls *all;
    const struct answer_facts *facts;
    /* Those of the report, then those that share the row of another but have a ring. */
    MB_VEC(const struct answer_thread *) threads;
    uint32_t *ranks;                     /* [id] */
    MB_VEC(struct trace_method) methods; /* [rank] */
    uint64_t least_ns;                   /* calls that are shorter are left out */
    uint64_t least_node_ns;              /* nodes that are shorter, too */
    bool failed;                         /* without memory: nothing of it may be asked */
};

void format_html_pick(struct format_html_picks *picks, const struct format_html_limits *limits);
void format_html_picks_finish(struct format_html_picks *picks);

uint32_t format_html_rank(const struct format_html_picks *picks, uint32_t id);

/* The calls of a thread's ring, in call order; none if it had no ring. */
const union format_html_items *format_html_items(const struct format_html_picks *picks,
                                                 const struct answer_thread *thread);

/* The total of a node; 0 for what a damaged trace has below. */
uint64_t format_html_node_ns(const struct answer_clock *clock, const struct trace_node *node);

/* ---- Columns of whole numbers on their way into the page: varints, zlib, base64 ---- */

/* Little endian. */
void format_pack_u32(struct mb_buf *raw, uint32_t value);

/* A column is its size in bytes and its numbers. Of those above FORMAT_PACK_MAX, which a program in
 * the page cannot hold exactly, that stays. */
#define FORMAT_PACK_MAX ((UINT64_C(1) << 53) - 1)
size_t format_pack_begin_column(struct mb_buf *raw);
void format_pack_number(struct mb_buf *raw, uint64_t number);
void format_pack_signed(struct mb_buf *raw,
                        int64_t number); /* small ones of either sign stay small */
void format_pack_end_column(struct mb_buf *raw, size_t column);

/* An element of that id with the bytes, packed. It shows nothing. */
void format_pack_element(struct mb_buf *out, const char *id, const struct mb_buf *raw);

#endif
