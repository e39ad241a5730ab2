/* Marks: what makes the times of a method uncertain. */

#include "export/export.h"

#include <inttypes.h>
#include <stdlib.h>

const struct export_mark_info export_mark_infos[EXPORT_MARK_COUNT] = {
    [EXPORT_MARK_MUTED] = {"~", "muted",
                           "muted while the program ran: its later time is its callers'"},
    [EXPORT_MARK_HOLDS] = {"^", "holds_muted",
                           "calls of muted methods may be a twentieth of its own time or more"},
    [EXPORT_MARK_INFERRED] = {"?", "inferred",
                              "a share of its total may be too much, as no record tells when "
                              "those calls ended"},
};

static bool is_muted(const struct export_report *report, uint32_t id)
{
    size_t at = 0;

    while (at < report->mute_count && report->mutes[at].id != id) {
        at++;
    }
    return at < report->mute_count;
}

uint32_t export_inferred_percent(int64_t inferred, int64_t total)
{
    double part = inferred > 0 && total > 0 ? (double)inferred / (double)total : 0;

    return part < 1 ? (uint32_t)(part * 100) : 100;
}

static void take_held(struct export_marks *marks, const struct export_report *report, uint32_t id)
{
    const struct export_held *first = report->held;
    const struct export_held *end = report->held + report->held_count;

    while (first < end && first->caller != id) {
        first++;
    }
    marks->held = first;
    while (first + marks->held_count < end && first[marks->held_count].caller == id) {
        marks->held_calls += first[marks->held_count].calls;
        marks->held_count++;
    }
}

struct export_marks export_marks_of(const struct export_report *report, uint32_t id,
                                    int64_t inferred, int64_t total)
{
    struct export_marks marks = {.inferred_percent = export_inferred_percent(inferred, total)};

    take_held(&marks, report, id);
    marks.set = (is_muted(report, id) ? 1u << EXPORT_MARK_MUTED : 0) |
                (marks.held_count > 0 ? 1u << EXPORT_MARK_HOLDS : 0) |
                (marks.inferred_percent > 0 ? 1u << EXPORT_MARK_INFERRED : 0);
    return marks;
}

static struct export_marks marks_of_row(const struct export_report *report,
                                        const struct trace_method *method)
{
    return export_marks_of(report, method->id, method->inferred, method->total);
}

void export_put_signs(struct mb_buf *out, const struct export_marks *marks)
{
    for (enum export_mark i = 0; i < EXPORT_MARK_COUNT; i++) {
        if (export_has_mark(marks, i)) {
            mb_buf_printf(out, " %s", export_mark_infos[i].sign);
        }
    }
    if (export_has_mark(marks, EXPORT_MARK_INFERRED)) {
        mb_buf_printf(out, "%" PRIu32 "%%", marks->inferred_percent);
    }
}

/* ---- By method ---- */

static int by_id(const void *key, const void *row)
{
    const uint32_t *id = key;
    const struct trace_method *method = row;

    return (*id > method->id) - (*id < method->id);
}

struct export_marks export_find_marks(const struct export_report *report,
                                      const struct trace_method *rows, uint32_t id)
{
    const struct trace_method *row =
        rows != NULL ? bsearch(&id, rows, report->method_count, sizeof(*rows), by_id) : NULL;

    return row != NULL ? marks_of_row(report, row) : export_marks_of(report, id, 0, 0);
}

/* ---- By mark ---- */

static void put_marked(const struct export_report *report, struct mb_buf *out, uint32_t id,
                       const struct export_marks *marks, enum export_mark mark)
{
    export_put_name(out, &report->names, id);
    switch (mark) {
    case EXPORT_MARK_HOLDS:
        mb_buf_printf(out, " (about %" PRIu64 " calls)", marks->held_calls);
        break;
    case EXPORT_MARK_INFERRED:
        mb_buf_printf(out, " %" PRIu32 "%%", marks->inferred_percent);
        break;
    case EXPORT_MARK_MUTED:
    case EXPORT_MARK_COUNT:
        break;
    }
}

void export_put_marked(const struct export_report *report, struct mb_buf *out,
                       enum export_mark mark)
{
    struct trace_method *rows =
        export_sort_methods(report->methods, report->method_count, EXPORT_BY_SELF);
    const char *between = "";

    out->failed = out->failed || rows == NULL;
    for (size_t i = 0; i < report->method_count && !out->failed; i++) {
        const struct export_marks marks = marks_of_row(report, &rows[i]);
        if (export_has_mark(&marks, mark)) {
            mb_buf_put_string(out, between);
            put_marked(report, out, rows[i].id, &marks, mark);
            between = ", ";
        }
    }
    free(rows);
}

void export_put_mark_note(const struct export_report *report, struct mb_buf *out,
                          enum export_mark mark)
{
    size_t start = out->size;

    mb_buf_printf(out, "%s %s: ", export_mark_infos[mark].sign, export_mark_infos[mark].meaning);
    size_t named = out->size;
    export_put_marked(report, out, mark);
    if (out->size == named && !out->failed) {
        out->size = start;
    }
}
