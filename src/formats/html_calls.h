/* What the chart of the page draws: calls as they come in, then columns of them (page/data.js reads
 * what is written here). */

#ifndef FORMATS_HTML_CALLS_H
#define FORMATS_HTML_CALLS_H

#include "answer/facts.h"
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

#endif
