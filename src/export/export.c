#include "export/export.h"

#include "abi/tracefile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct export_format *const formats[] = {
#define EXPORT_FORMAT(name) &export_##name,
#define EXPORT_MISSING(name, reason)
#include "export/formats.def"
#undef EXPORT_MISSING
#undef EXPORT_FORMAT
};

static const struct missing {
    const char *name;
    const char *reason;
} missing[] = {
#define EXPORT_FORMAT(name)
#define EXPORT_MISSING(name, reason) {#name, reason},
#include "export/formats.def"
#undef EXPORT_MISSING
#undef EXPORT_FORMAT
    {NULL, NULL},
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

const char *export_why_missing(const char *name)
{
    for (const struct missing *row = missing; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            return row->reason;
        }
    }
    return NULL;
}

/* How long the extension is that the path ends with; 0: it has another. */
static size_t match_extension(const char *path, const char *extension)
{
    size_t size = strlen(path);
    size_t length = extension != NULL ? strlen(extension) : 0;

    return length > 0 && length < size && strcmp(path + size - length, extension) == 0 ? length : 0;
}

const struct export_format *export_find_extension(const char *path)
{
    const struct export_format *found = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < MB_COUNT(formats); i++) {
        size_t length = match_extension(path, formats[i]->extension);
        size_t other = match_extension(path, formats[i]->other_extension);
        length = other > length ? other : length;
        if (length > longest) {
            found = formats[i];
            longest = length;
        }
    }
    return found;
}

const struct export_format *export_format_at(size_t number)
{
    return number < MB_COUNT(formats) ? formats[number] : NULL;
}

void export_put_name(struct mb_buf *out, const struct export_names *names, uint32_t id)
{
    struct mb_text name = names->find(names->context, id);

    if (name.size > 0) {
        mb_buf_put_printable(out, name);
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

const char *export_tree_source(const struct export_report *report)
{
    return report->has_profile ? "the whole run, by its profile" : "what the rings still held";
}

int64_t export_ns(const struct export_report *report, int64_t units)
{
    bool is_negative = units < 0;
    uint64_t size = is_negative ? 0 - (uint64_t)units : (uint64_t)units;
    int64_t ns = (int64_t)(abi_trace_ns(report->ns_per_unit, size) & INT64_MAX);

    return is_negative ? -ns : ns;
}

static int by_suspended_id(const void *a, const void *b)
{
    const struct export_suspended *x = a;
    const struct export_suspended *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

const struct export_suspended *export_find_suspended(const struct export_report *report,
                                                     uint32_t id)
{
    const struct export_suspended wanted = {.id = id};

    return report->suspended_count == 0
               ? NULL
               : bsearch(&wanted, report->suspended, report->suspended_count, sizeof(wanted),
                         by_suspended_id);
}

const struct export_event *export_next_drawn(const struct export_report *report,
                                             const struct export_event *event)
{
    const struct export_event *end = report->events + report->event_count;
    const struct export_event *next = event + 1;

    while (next < end && !next->has_fps) {
        next++;
    }
    return next < end && next->start_ns <= event->start_ns + event->duration_ns ? next : NULL;
}

/* Greater first, the smaller id first among equals. */
static int compare_rows(int64_t a, int64_t b, uint32_t id_a, uint32_t id_b)
{
    return a != b ? (a < b) - (a > b) : (id_a > id_b) - (id_a < id_b);
}

static int by_self(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare_rows(x->self, y->self, x->id, y->id);
}

static int by_calls(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare_rows((int64_t)x->calls, (int64_t)y->calls, x->id, y->id);
}

static int by_id(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare_rows(0, 0, x->id, y->id);
}

struct trace_method *export_sort_methods(const struct trace_method *methods, size_t count,
                                         enum export_order order)
{
    static int (*const orders[])(const void *, const void *) = {
        [EXPORT_BY_SELF] = by_self, [EXPORT_BY_CALLS] = by_calls, [EXPORT_BY_ID] = by_id};
    struct trace_method *rows = calloc(count + 1, sizeof(*rows));

    if (rows != NULL && count > 0) {
        memcpy(rows, methods, count * sizeof(*rows));
        qsort(rows, count, sizeof(*rows), orders[order]);
    }
    return rows;
}

int64_t export_placed_waiting(const struct export_report *report,
                              const struct export_thread *thread, bool is_idle)
{
    int64_t waited = 0;

    for (size_t i = 0; i < thread->node_count; i++) {
        bool is_wanted = thread->nodes[i].is_idle == is_idle;
        waited = trace_add(waited, is_wanted ? thread->nodes[i].waited : 0);
    }
    return export_ns(report, waited);
}

struct export_sums export_sum(const struct export_report *report)
{
    struct export_sums sums = {.start_ns = UINT64_MAX};

    for (size_t i = 0; i < report->thread_count; i++) {
        const struct export_thread *thread = &report->threads[i];
        sums.words += thread->losses.words;
        sums.lapped_words += thread->is_profiled ? 0 : thread->lapped_words;
        sums.unseen_words += thread->unseen_words;
        sums.missing_words += thread->missing_words;
        sums.dropped_calls += thread->dropped_calls;
        sums.calls += thread->calls;
        sums.open_calls += thread->losses.open_calls;
        sums.lost_entries += thread->losses.lost_entries;
        sums.lost_exits += thread->losses.lost_exits;
        sums.inferred_exits += thread->losses.inferred_exits;
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
