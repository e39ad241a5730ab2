/* Which calls the page draws, and the numbers of their methods. */

#ifndef FORMATS_HTML_RANKS_H
#define FORMATS_HTML_RANKS_H

#include "base/vec.h"
#include "formats/html_calls.h"

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

#endif
