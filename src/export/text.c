/* For people, at two in the morning: the answer, how far to trust it, the way to it; details on
 * request. */

#include "export/text.h"
#include "export/diff.h"
#include "export/writer.h"

#include <inttypes.h>

#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

static void put_headline(const struct export_report *report, const struct mb_buf *pools,
                         const struct export_path *path, struct mb_buf *out)
{
    struct mb_buf text = {0};

    export_put_answer(report, pools, path, &text);
    mb_buf_put_string(out, report->colour ? BOLD : "");
    export_put_paragraph(report, out, &text);
    mb_buf_put_string(out, report->colour ? PLAIN : "");
    mb_buf_finish(&text);
}

/* Whoever compares wants to know first whether anything changed. */
static void put_verdict(const struct export_report *report, struct mb_buf *out)
{
    struct export_diff diff = {0};
    struct mb_buf text = {0};

    export_diff_runs(&diff, report);
    export_put_verdict(&diff, &text);
    mb_buf_put_string(out, report->colour ? BOLD : "");
    export_put_paragraph(report, out, &text);
    mb_buf_put_string(out, report->colour ? PLAIN "\n" : "\n");
    mb_buf_finish(&text);
}

static void put_process(const struct export_report *report, struct mb_buf *out)
{
    mb_buf_put_u1(out, '(');
    mb_buf_put_printable(out, report->process_name);
    mb_buf_printf(out, ", pid %" PRIu32 ")\n", report->process_id);
}

static void put_details(const struct export_report *report, struct mb_buf *out)
{
    if (report->details & EXPORT_CALLS) {
        export_put_calls(report, out);
    }
    if (report->details & EXPORT_MUTED) {
        export_put_muted(report, out);
    }
    if (report->details & EXPORT_THREADS) {
        export_put_threads(report, out);
    }
}

static void put_report(struct export_writer *writer)
{
    const struct export_report *report = writer->report;
    struct mb_buf *out = &writer->out;
    struct mb_buf pools = {0};
    struct export_path path = {0};

    export_pools_collect(&pools, report);
    if (pools.size > 0 && !pools.failed) {
        export_path_find(&path, report, export_first_pool(report, &pools));
    }
    if (report->old != NULL) {
        put_verdict(report, out);
    }
    put_headline(report, &pools, &path, out);
    put_process(report, out);
    if (report->old != NULL) {
        export_put_diff(report, out);
    }
    export_put_trust(report, out);
    export_put_path(report, &path, out);
    export_put_costs(report, out);
    export_put_waiting(report, out);
    export_put_pools(report, &pools, out);
    export_put_slow(report, out);
    put_details(report, out);
    export_put_advice(report, out);
    out->failed = out->failed || pools.failed || path.steps.failed;
    export_path_finish(&path);
    mb_buf_finish(&pools);
}

const struct export_format export_text = {
    .name = "text",
    .extension = ".txt",
    .end = put_report,
};
