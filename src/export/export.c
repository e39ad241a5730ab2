#include "export/export.h"

#include "abi/tracefile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measured on x86-64: a record of the native flavour with the counter, of the mapped flavour with
 * the coarse clock. */
#define COUNTER_RECORD_NS 10
#define COARSE_RECORD_NS 1

/* A new format is a file and a line here. */
static const struct export_format *const formats[] = {
    &export_text, &export_json, &export_matrix, &export_folded, &export_chrome,
};

const struct export_format *export_find(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(formats); i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

void export_put_name(struct mb_buf *out, const struct export_names *names, uint32_t id)
{
    struct mb_text name = names->find(names->context, id);

    if (name.size > 0) {
        mb_buf_put(out, name.data, name.size);
    } else {
        mb_buf_printf(out, "#%" PRIu32, id);
    }
}

void export_put_json_name(struct mb_buf *out, const struct export_names *names, uint32_t id)
{
    struct mb_text name = names->find(names->context, id);

    if (name.size > 0) {
        mb_buf_put_json_string(out, name);
    } else {
        mb_buf_printf(out, "\"#%" PRIu32 "\"", id);
    }
}

int64_t export_ns(const struct export_report *report, int64_t units)
{
    bool is_negative = units < 0;
    uint64_t size = is_negative ? 0 - (uint64_t)units : (uint64_t)units;
    int64_t ns = (int64_t)(abi_trace_ns(report->ns_per_unit, size) & INT64_MAX);

    return is_negative ? -ns : ns;
}

void export_put_ms(struct mb_buf *out, int64_t ns, int width)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    char text[40];

    (void)snprintf(text, sizeof(text), "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "",
                   size / 1000000, size / 1000 % 1000);
    mb_buf_printf(out, "%*s", width, text);
}

/* Greater first, the smaller id first among equals. */
static int compare(int64_t a, int64_t b, uint32_t id_a, uint32_t id_b)
{
    return a != b ? (a < b) - (a > b) : (id_a > id_b) - (id_a < id_b);
}

static int by_total(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare(x->total, y->total, x->id, y->id);
}

static int by_self(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare(x->self, y->self, x->id, y->id);
}

static int by_calls(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare((int64_t)x->calls, (int64_t)y->calls, x->id, y->id);
}

struct trace_method *export_sort_methods(const struct trace_method *methods, size_t count,
                                         enum export_order order)
{
    static int (*const orders[])(const void *, const void *) = {
        [EXPORT_BY_TOTAL] = by_total, [EXPORT_BY_SELF] = by_self, [EXPORT_BY_CALLS] = by_calls};
    struct trace_method *rows = calloc(count + 1, sizeof(*rows));

    if (rows != NULL && count > 0) {
        memcpy(rows, methods, count * sizeof(*rows));
        qsort(rows, count, sizeof(*rows), orders[order]);
    }
    return rows;
}

struct export_sums export_sum(const struct export_report *report)
{
    struct export_sums sums = {.start_ns = UINT64_MAX};

    for (size_t i = 0; i < report->thread_count; i++) {
        const struct export_thread *thread = &report->threads[i];
        sums.words += thread->losses.words;
        sums.lapped_words += thread->lapped_words;
        sums.missing_words += thread->missing_words;
        sums.dropped_calls += thread->dropped_calls;
        sums.calls += thread->calls;
        sums.open_calls += thread->losses.open_calls;
        sums.lost_entries += thread->losses.lost_entries;
        sums.lost_exits += thread->losses.lost_exits;
        sums.time_went_back += thread->losses.time_went_back;
        if (thread->calls > 0 && thread->start_ns < sums.start_ns) {
            sums.start_ns = thread->start_ns;
        }
        if (thread->end_ns > sums.end_ns) {
            sums.end_ns = thread->end_ns;
        }
    }
    sums.start_ns = sums.start_ns < sums.end_ns ? sums.start_ns : sums.end_ns;
    return sums;
}

uint64_t export_record_ns(const struct export_report *report)
{
    return report->is_coarse_clock ? COARSE_RECORD_NS : COUNTER_RECORD_NS;
}

int64_t export_overhead_ns(const struct export_report *report)
{
    struct export_sums sums = export_sum(report);
    uint64_t records = sums.words + sums.lapped_words + 2 * sums.dropped_calls;

    return (int64_t)(records * export_record_ns(report) & INT64_MAX);
}
