/* Inside the text format: its parts, in the order of the report, and how they lay out a line. */

#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include "export/export.h"

/* ---- Layout (text_layout.c) ---- */

/* A heading of its own paragraph, in bold if the report has colours. */
void export_put_heading(const struct export_report *report, struct mb_buf *out, const char *format,
                        ...) MB_PRINTF(3, 4);

/* "5.83 s", "700 ms", "12.3 us", "0 ns": three digits, cut; right-aligned in width. */
void export_put_time(struct mb_buf *out, int64_t ns, int width);

/* "99999", "785 M": three digits from 100,000 on, cut; right-aligned in width. */
void export_put_count(struct mb_buf *out, uint64_t count, int width);

/* "12.5", "100.0"; 0 of nothing. Right-aligned in width. */
void export_put_percent(struct mb_buf *out, int64_t part, int64_t whole, int width);

/* "62". */
void export_put_whole_percent(struct mb_buf *out, int64_t part, int64_t whole);

/* Where class and method begin: behind the last dot but one in front of any parameters. */
size_t export_package_size(struct mb_text name);

/* The name of a method in what is left of a line behind used columns: packages lose all but their
 * first letters, then parameters are left out, then the name loses its beginning. At least 20
 * columns are taken for left. */
void export_put_method(const struct export_report *report, struct mb_buf *out, uint32_t id,
                       size_t used);

/* A name as a method's is, in so many columns; 0: in full. */
void export_put_fitting(struct mb_buf *out, struct mb_text name, size_t room);

/* What is left of a line behind used columns, at least 20; 0: lines may have any length. */
size_t export_room(const struct export_report *report, size_t used);

/* A paragraph: label in a column of its own, the text behind it wrapped to the report's columns.
 * Line ends in text are kept out by the caller. */
void export_put_item(const struct export_report *report, struct mb_buf *out, const char *label,
                     const struct mb_buf *text);

/* The same without a label. */
void export_put_paragraph(const struct export_report *report, struct mb_buf *out,
                          const struct mb_buf *text);

/* Characters; every one is taken for one column. */
size_t export_columns(struct mb_text text);

/* Behind a name: "~" for a method that was muted, "+" for a call that was still running, "(suspend,
 * resumed 22 times)" for a suspend function. */
void export_put_marks(const struct export_report *report, struct mb_buf *out, uint32_t id,
                      bool is_open);

/* " ?61%" behind these, where so much of the total rests on inferred ends; nothing below 1 %. */
void export_put_inferred(struct mb_buf *out, int64_t inferred, int64_t total);

/* Below this a time of the report says nothing: the tick of a coarse clock; else 0. */
int64_t export_tick_ns(const struct export_report *report);

/* ---- Threads by pool (text_pools.c) ---- */

/* Threads whose names differ in the number at their end only; the main thread is alone. */
struct export_pool {
    struct mb_text stem;               /* the name up to that number */
    const struct export_thread *first; /* of its threads */
    size_t row_count;                  /* struct export_thread */
    uint64_t thread_count;             /* that those stand for */
    int64_t busy_ns;                   /* the sum of its threads, without idle loops */
    int64_t worked_ns;                 /* of that, at least; 0 where nobody knows */
    int64_t ready_ns;                  /* as export_thread */
    int64_t waited_ns;
    int64_t idle_ns;   /* own time of idle loops: beside busy_ns */
    int64_t placed_ns; /* of that, what is known to be of single calls */
    bool lacks_ready;  /* of some thread waiting is known, but not apart from it */
    uint64_t start_ns; /* of the first call of any, if there are calls */
    uint64_t end_ns;   /* of the last word of any */
    uint64_t calls;
    int64_t rank_ns; /* the greatest has the answer */
};

/* From the first call of any of its threads to the last word; open calls last until the end of
 * all. */
int64_t export_pool_span(const struct export_pool *pool);

/* Time in calls that was not spent waiting, as far as that is known: at most so much was work. */
static inline int64_t export_most_worked_ns(const struct export_pool *pool)
{
    return trace_subtract(trace_subtract(pool->busy_ns, pool->waited_ns), pool->ready_ns);
}

/* What is told of waiting is waiting, and no machine that had no processor to spare: readiness is
 * known, or most is of calls that are known, and not spread over all. */
static inline bool export_knows_waiting(const struct export_pool *pool)
{
    return !pool->lacks_ready || pool->placed_ns > pool->waited_ns / 2;
}

/* Most of the time in calls was spent waiting. */
static inline bool export_pool_waits(const struct export_pool *pool)
{
    return pool->waited_ns > pool->busy_ns / 2 && export_knows_waiting(pool);
}

/* Rows of struct export_pool, most work first; of a run in which hardly any was done, most time in
 * calls, of which those of the main thread count little. Without memory the buffer fails. */
void export_pools_collect(struct mb_buf *pools, const struct export_report *report);
bool export_pool_has(const struct export_pool *pool, const struct export_thread *thread);

/* "http-exec-*", or the name of the only thread. */
void export_put_pool(struct mb_buf *out, const struct export_pool *pool);

/* " (4 threads)", " (virtual, up to 1000 at a time)", or nothing for one plain thread. */
void export_put_members(struct mb_buf *out, const struct export_thread *first, uint64_t count);

/* ---- The way down (text_path.c) ---- */

/* The calls of the pool whose answer comes first. Zeroed memory can be finished. */
struct export_path {
    const struct export_pool *pool;
    struct trace_profile merged;    /* if it has several threads */
    const struct trace_node *nodes; /* of all its threads */
    size_t node_count;
    int64_t total;       /* of the outermost calls, in units */
    struct mb_buf steps; /* uint32_t: nodes with at least half of what the one before has */
};

/* Without memory steps fails. */
void export_path_find(struct export_path *path, const struct export_report *report,
                      const struct export_pool *pool);

/* The deepest step that has at least half of all, or NULL. */
const struct trace_node *export_path_core(const struct export_path *path);

/* False for a step between the first and the last that neither costs nor leads away. */
bool export_path_tells(const struct export_path *path, size_t step);
void export_path_finish(struct export_path *path);

void export_put_path(const struct export_report *report, const struct export_path *path,
                     struct mb_buf *out);

/* ---- The answer (text_answer.c) ---- */

/* The first; where there are messages, the thread that has to answer them. */
const struct export_pool *export_first_pool(const struct export_report *report,
                                            const struct mb_buf *pools);

/* Slow messages, if there are messages at all, and what the pool of the path did. */
void export_put_answer(const struct export_report *report, const struct mb_buf *pools,
                       const struct export_path *path, struct mb_buf *out);

/* ---- The other parts ---- */

/* Takes a paragraph, as export_put_item does. */
typedef void export_item_put(const struct export_report *report, struct mb_buf *out,
                             const char *label, const struct mb_buf *text);

/* How far to trust it: what is not in the report, and the setting that cures it (text_trust.c). */
void export_put_trust(const struct export_report *report, struct mb_buf *out);
void export_tell_trust(const struct export_report *report, export_item_put *put,
                       struct mb_buf *out);

/* What recording has cost (text_overhead.c): a paragraph, and, where it is much, the command that
 * helps. */
void export_put_overhead(const struct export_report *report, struct mb_buf *out);
void export_tell_overhead(const struct export_report *report, export_item_put *put,
                          struct mb_buf *out);
void export_put_advice(const struct export_report *report, struct mb_buf *out);

/* Tables (text_tables.c). */
void export_put_costs(const struct export_report *report, struct mb_buf *out);
void export_put_waiting(const struct export_report *report, struct mb_buf *out);
void export_put_calls(const struct export_report *report, struct mb_buf *out);
void export_put_muted(const struct export_report *report, struct mb_buf *out);
void export_put_pools(const struct export_report *report, const struct mb_buf *pools,
                      struct mb_buf *out);
void export_put_threads(const struct export_report *report, struct mb_buf *out);

/* Slow messages, or outermost calls; with all stacks on request (text_slow.c). */
void export_put_slow(const struct export_report *report, struct mb_buf *out);

/* Against report->old: by name (text_diff.c). */
void export_put_diff(const struct export_report *report, struct mb_buf *out);

#endif
