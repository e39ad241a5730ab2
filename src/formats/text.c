/* For people, at two in the morning: the answer, how far to trust it, the way to it; details on
 * request. */

#include "formats/text.h"

#include "answer/diff.h"
#include "answer/headline.h"
#include "answer/trust.h"
#include "formats/writer.h"

#include <inttypes.h>

#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

static void put_headline(const struct answer_facts *report, const struct mb_buf *pools,
                         const struct answer_path *path, struct mb_buf *out)
{
    struct mb_buf text = {0};

    /* a name is on a line of its own, with the period */
    answer_put_headline(report, pools, path, format_room(report, 1), &text);
    mb_buf_put_string(out, report->colour ? BOLD : "");
    format_put_paragraph(report, out, &text);
    mb_buf_put_string(out, report->colour ? PLAIN : "");
    mb_buf_finish(&text);
}

/* Whoever compares wants to know first whether anything changed. */
static void put_verdict(const struct answer_facts *report, struct mb_buf *out)
{
    struct answer_diff diff = {0};
    struct mb_buf text = {0};

    answer_diff_runs(&diff, report);
    answer_put_verdict(&diff, &text);
    mb_buf_put_string(out, report->colour ? BOLD : "");
    format_put_paragraph(report, out, &text);
    mb_buf_put_string(out, report->colour ? PLAIN "\n" : "\n");
    mb_buf_finish(&text);
}

struct paragraphs {
    const struct answer_facts *report;
    struct mb_buf *out;
};

static void put_item(void *context, const char *label, const struct mb_buf *text)
{
    const struct paragraphs *to = context;

    format_put_item(to->report, to->out, label, text);
}

static void put_trust(const struct answer_facts *report, struct mb_buf *out)
{
    struct paragraphs to = {report, out};
    const struct answer_items items = {put_item, &to, format_room(report, 1)};

    format_put_heading(report, out, "How far to trust this");
    answer_tell_trust(report, &items);
}

static void put_process(const struct answer_facts *report, struct mb_buf *out)
{
    mb_buf_put_u1(out, '(');
    mb_buf_put_printable(out, report->process_name);
    mb_buf_printf(out, ", pid %" PRIu32 ")\n", report->process_id);
}

static void put_details(const struct answer_facts *report, struct mb_buf *out)
{
    if (report->details & FORMAT_CALLS) {
        format_put_calls(report, out);
    }
    if (report->details & FORMAT_MUTED) {
        format_put_muted(report, out);
    }
    if (report->details & FORMAT_THREADS) {
        format_put_threads(report, out);
    }
}

static void put_report(struct format_writer *writer)
{
    const struct answer_facts *report = writer->report;
    struct mb_buf *out = &writer->out;
    struct mb_buf pools = {0};
    struct answer_path path = {0};

    answer_pools_collect(&pools, report);
    if (pools.size > 0 && !pools.failed) {
        answer_path_find(&path, report, answer_first_pool(report, &pools));
    }
    if (report->old != NULL) {
        put_verdict(report, out);
    }
    put_headline(report, &pools, &path, out);
    put_process(report, out);
    if (report->old != NULL) {
        format_put_diff(report, out);
    }
    put_trust(report, out);
    format_put_path(report, &path, out);
    format_put_costs(report, out);
    format_put_waiting(report, out);
    format_put_pools(report, &pools, out);
    format_put_slow(report, out);
    put_details(report, out);
    format_put_advice(report, out);
    out->failed = out->failed || pools.failed || path.steps.failed;
    answer_path_finish(&path);
    mb_buf_finish(&pools);
}

const struct format format_text = {
    .name = "text",
    .extension = ".txt",
    .end = put_report,
};
