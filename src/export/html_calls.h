/* What the chart of the page draws: calls as they come in, then columns of them (page/data.js reads
 * what is written here). */

#ifndef EXPORT_HTML_CALLS_H
#define EXPORT_HTML_CALLS_H

#include "export/export.h"

/* More calls than this are too much for a file that is mailed: the shortest are left out, which leaves
 * whole trees, since a call is no shorter than those in it. */
#define EXPORT_HTML_MOST_CALLS ((size_t)1500000)
#define EXPORT_HTML_MOST_NODES ((size_t)300000)

struct export_html_item {
    uint64_t start_ns;
    uint64_t duration_ns;
    uint32_t id;
    uint32_t depth_open; /* depth * 2 + whether it was still running */
};

/* Of one thread. */
struct export_html_thread {
    const struct export_thread *thread;
    struct mb_buf calls; /* struct export_html_item, in call order */
};

/* A writer's state. Zeroed memory is none; each is finished. */
struct export_html_calls {
    struct mb_buf threads; /* struct export_html_thread */
    bool failed;           /* without memory */
};

void export_html_calls_thread(struct export_html_calls *all, const struct export_thread *thread);
void export_html_calls_add(struct export_html_calls *all, const struct export_report *report,
                           const struct trace_stack *stack);
void export_html_calls_finish(struct export_html_calls *all);

/* The elements of the page that hold them. out fails without memory. */
void export_html_put_data(const struct export_html_calls *all, const struct export_report *report,
                          size_t most_calls, struct mb_buf *out);

#endif
