/* For people, at two in the morning: what was slow first in each table, units in every heading. */

#include "abi/names.h"
#include "export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"
#define THREAD_TOP 5 /* rows of a thread's tables; --thread shows more */

static void put_heading(const struct export_report *report, struct mb_buf *out, const char *text)
{
    mb_buf_printf(out, "\n%s%s%s\n", report->colour ? BOLD : "", text, report->colour ? PLAIN : "");
}

/* A line of the overview, unless there is nothing to tell. */
static void put_count(struct mb_buf *out, const char *label, uint64_t count, const char *text)
{
    if (count > 0) {
        mb_buf_printf(out, "%-12s %" PRIu64 " %s\n", label, count, text);
    }
}

static void put_losses(const struct export_report *report, const struct export_sums *sums,
                       struct mb_buf *out)
{
    put_count(out, "overwritten", sums->lapped_words, "older records, by newer ones");
    put_count(out, "cut off", sums->missing_words, "records that the file is too short for");
    put_count(out, "refused", report->refused_words, "records of threads that got no ring");
    put_count(out, "recycled", report->recycled_words,
              "records of ended threads whose ring another got");
    if (report->min_ns > 0) {
        mb_buf_printf(out, "%-12s %" PRIu64 " calls shorter than %" PRIu64 " ns\n", "dropped",
                      sums->dropped_calls, report->min_ns);
    }
    put_count(out, "unmatched", sums->lost_entries, "exits without entry (started earlier)");
    put_count(out, "unmatched", sums->lost_exits, "entries without exit");
    put_count(out, "impossible", sums->time_went_back, "calls that ended before they started");
    put_count(out, "still open", sums->open_calls, "calls at the end, counted until then");
}

static void put_overview(const struct export_report *report, struct mb_buf *out)
{
    struct export_sums sums = export_sum(report);
    int64_t span_ns = (int64_t)(sums.end_ns - sums.start_ns);

    mb_buf_printf(out, "%-12s %.*s (pid %" PRIu32 "), %s\n", "process",
                  (int)report->process_name.size, report->process_name.data, report->process_id,
                  report->is_closed ? "recording stopped in good order"
                                    : "still being recorded, or killed");
    mb_buf_printf(out, "%-12s ", "span");
    export_put_ms(out, span_ns, 0);
    mb_buf_printf(out, " ms, starting ");
    export_put_ms(out, (int64_t)sums.start_ns, 0);
    mb_buf_printf(out, " ms after the recorder\n%-12s %s, %" PRIu64 " ns\n", "clock",
                  report->is_coarse_clock ? "coarse" : "CPU counter", report->resolution_ns);
    mb_buf_printf(out, "%-12s %zu\n", "threads", report->thread_count);
    mb_buf_printf(out, "%-12s %" PRIu64 " in %" PRIu64 " calls\n", "records", sums.words,
                  sums.calls);
    put_losses(report, &sums, out);
    mb_buf_printf(out, "%-12s about ", "overhead");
    export_put_ms(out, export_overhead_ns(report), 0);
    mb_buf_printf(out, " ms over all threads (estimate: %" PRIu64 " ns a record)\n",
                  export_record_ns(report));
    for (size_t i = 0; i < report->note_count; i++) {
        mb_buf_printf(out, "%-12s %.*s\n", "note", (int)report->notes[i].size,
                      report->notes[i].data);
    }
}

static void put_threads(const struct export_report *report, struct mb_buf *out)
{
    put_heading(report, out, "Threads");
    mb_buf_printf(out, "  %8s %12s %14s %14s %14s  %s\n", "id", "calls", "in calls ms",
                  "first call ms", "last record ms", "name");
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct export_thread *thread = &report->threads[i];
        mb_buf_printf(out, "  %8" PRIu32 " %12" PRIu64 " ", thread->id, thread->calls);
        export_put_ms(out, thread->busy_ns, 14);
        mb_buf_put_u1(out, ' ');
        export_put_ms(out, (int64_t)thread->start_ns, 14);
        mb_buf_put_u1(out, ' ');
        export_put_ms(out, (int64_t)thread->end_ns, 14);
        mb_buf_printf(out, "  %.*s%s%s\n", (int)thread->name.size, thread->name.data,
                      thread->is_main ? " (main)" : "", thread->is_live ? "" : " (ended)");
    }
}

static void put_groups(const struct export_report *report, struct mb_buf *out)
{
    put_heading(report, out, "Slow ones by key (where the time went)");
    mb_buf_printf(out, "  %8s %14s %14s  %s\n", "count", "total ms", "longest ms", "key");
    for (size_t i = 0; i < report->group_count && i < report->top; i++) {
        const struct export_group *group = &report->groups[i];
        mb_buf_printf(out, "  %8" PRIu64 " ", group->count);
        export_put_ms(out, group->total_ns, 14);
        mb_buf_put_u1(out, ' ');
        export_put_ms(out, group->longest_ns, 14);
        mb_buf_put_string(out, "  ");
        export_put_name(out, &report->names, group->key);
        mb_buf_printf(out, "  %" PRIu32 "|\n", group->key);
    }
}

static void put_slow(const struct export_report *report, const struct export_slow *slow,
                     struct mb_buf *out)
{
    mb_buf_put_string(out, "\n  ");
    export_put_ms(out, slow->duration_ns, 0);
    mb_buf_put_string(out, " ms at ");
    export_put_ms(out, (int64_t)slow->start_ns, 0);
    mb_buf_printf(out, " ms in %.*s%s, key ", (int)slow->thread->name.size, slow->thread->name.data,
                  slow->is_open ? ", still running" : "");
    export_put_name(out, &report->names, slow->key);
    mb_buf_printf(out, "\n  %14s %8s\n", "ms", "count");
    for (size_t i = 0; i < slow->item_count; i++) {
        const struct trace_item *item = &slow->items[i];
        mb_buf_put_string(out, "  ");
        export_put_ms(out, export_ns(report, item->duration), 14);
        mb_buf_printf(out, " %8" PRIu32 "  ", item->count);
        for (int32_t d = 0; d < item->depth && d < TRACE_TRIMMED_MAX; d++) {
            mb_buf_put_string(out, "  ");
        }
        if (item->depth > TRACE_TRIMMED_MAX) {
            mb_buf_printf(out, "(%" PRId32 " deep) ", item->depth);
        }
        export_put_name(out, &report->names, item->id);
        mb_buf_put_string(out, item->is_open ? " (still running)\n" : "\n");
    }
}

static void put_slowest(const struct export_report *report, struct mb_buf *out)
{
    const char *roots = report->has_messages ? "messages (where a thread has none, outermost calls)"
                                             : "outermost calls";

    put_heading(report, out, report->has_messages ? "Slow messages" : "Slow outermost calls");
    if (!report->has_messages) {
        mb_buf_put_string(out, "  No messages were recorded: outermost calls stand in for them.\n");
    }
    mb_buf_printf(out, "  %zu of %" PRIu64 " %s took at least ", report->slow_count,
                  report->root_count, roots);
    export_put_ms(out, report->threshold_ns, 0);
    mb_buf_put_string(out, " ms; the longest took ");
    export_put_ms(out, report->longest_root_ns, 0);
    mb_buf_put_string(out, " ms.\n");
    for (size_t i = 0; i < report->slow_count && i < report->top; i++) {
        put_slow(report, &report->slow[i], out);
    }
    if (report->group_count > 0) {
        put_groups(report, out);
    }
}

/* Methods of one thread, or of all. */
struct method_table {
    const struct trace_method *methods;
    size_t count;
    size_t top;
};

struct method_order {
    enum export_order order;
    const char *heading;
    const char *short_heading; /* of a thread's table */
};

static const struct method_order method_orders[] = {
    {EXPORT_BY_TOTAL, "Methods by total time", "by total time"},
    {EXPORT_BY_SELF, "Methods by own time, without what they call", "by own time"},
    {EXPORT_BY_CALLS, "Methods by number of calls", "by number of calls"},
};

static void put_methods(const struct export_report *report, const struct method_table *table,
                        enum export_order order, struct mb_buf *out)
{
    struct trace_method *rows = export_sort_methods(table->methods, table->count, order);

    if (rows == NULL) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < table->count && i < table->top; i++) {
        mb_buf_put_string(out, "  ");
        export_put_ms(out, export_ns(report, rows[i].total), 14);
        mb_buf_put_u1(out, ' ');
        export_put_ms(out, export_ns(report, rows[i].self), 14);
        mb_buf_printf(out, " %12" PRIu64 "  ", rows[i].calls);
        export_put_name(out, &report->names, rows[i].id);
        mb_buf_put_u1(out, '\n');
    }
    free(rows);
}

static void put_all_methods(const struct export_report *report, struct mb_buf *out)
{
    const struct method_table table = {report->methods, report->method_count, report->top};

    for (size_t i = 0; i < MB_COUNT(method_orders); i++) {
        put_heading(report, out, method_orders[i].heading);
        mb_buf_printf(out, "  %14s %14s %12s  %s\n", "total ms", "self ms", "calls", "method");
        put_methods(report, &table, method_orders[i].order, out);
    }
}

static void put_thread_methods(const struct export_report *report,
                               const struct export_thread *thread, struct mb_buf *out)
{
    const struct method_table table = {thread->methods, thread->method_count,
                                       report->top < THREAD_TOP ? report->top : THREAD_TOP};
    char heading[160];

    (void)snprintf(heading, sizeof(heading), "Methods of thread %.*s (id %" PRIu32 ")",
                   (int)thread->name.size, thread->name.data, thread->id);
    put_heading(report, out, heading);
    mb_buf_printf(out, "  %14s %14s %12s  %s\n", "total ms", "self ms", "calls", "method");
    /* Few rows: a reader orders them himself. */
    size_t tables = table.count > table.top ? MB_COUNT(method_orders) : 1;
    for (size_t i = 0; i < tables; i++) {
        mb_buf_printf(out, "  %s\n", method_orders[i].short_heading);
        put_methods(report, &table, method_orders[i].order, out);
    }
}

/* Unless all methods are those of one thread. */
static void put_methods_by_thread(const struct export_report *report, struct mb_buf *out)
{
    size_t busy = 0;

    for (size_t i = 0; i < report->thread_count; i++) {
        busy += report->threads[i].calls > 0;
    }
    for (size_t i = 0; busy > 1 && i < report->thread_count; i++) {
        if (report->threads[i].calls > 0) {
            put_thread_methods(report, &report->threads[i], out);
        }
    }
}

static void put_end(const struct export_report *report, struct mb_buf *out)
{
    put_overview(report, out);
    put_slowest(report, out);
    put_all_methods(report, out);
    put_threads(report, out);
    put_methods_by_thread(report, out);
}

const struct export_format export_text = {
    .name = "text",
    .end = put_end,
};
