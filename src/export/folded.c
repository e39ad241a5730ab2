/* Collapsed stacks, for flame graphs: "thread;caller;callee weight" a line, each stack once and in the
 * order of their bytes, as the tools that collapse stacks write them. The weight is the own time in ns,
 * or the number of calls. */

#include "export/writer.h"

#include <inttypes.h>
#include <stdlib.h>

/* Each line repeats all callers: the time of what is deeper counts for its caller. */
#define MAX_DEPTH 1000

struct line {
    size_t start;        /* in the text of all */
    struct mb_text text; /* its data is set when all are there */
    int64_t weight;
};

struct folding {
    const struct export_report *report;
    struct mb_buf text;
    struct mb_buf lines; /* struct line */
};

/* Behind what is there, without the characters to which the format gives a meaning. */
static void end_frame(struct mb_buf *text, size_t start)
{
    for (size_t i = start; i < text->size; i++) {
        text->bytes[i] = text->bytes[i] == ';' ? ':' : text->bytes[i];
    }
}

static void put_thread_frame(struct folding *folding, const struct export_thread *thread)
{
    size_t start = folding->text.size;

    mb_buf_put_printable(&folding->text, thread->name.size > 0 ? thread->name : MB_TEXT("thread"));
    end_frame(&folding->text, start);
}

static void put_method_frame(struct folding *folding, uint32_t id)
{
    mb_buf_put_u1(&folding->text, ';');
    size_t start = folding->text.size;
    export_put_name(&folding->text, &folding->report->names, id);
    end_frame(&folding->text, start);
}

/* The thread, the outermost caller, ..., the node. */
static void put_stack(struct folding *folding, const struct export_thread *thread, uint32_t index)
{
    const struct trace_node *nodes = thread->nodes;
    uint32_t path[MAX_DEPTH];
    size_t depth = 0;

    for (uint32_t at = index; at != TRACE_NO_NODE; at = nodes[at].parent) {
        path[depth++] = nodes[at].id;
    }
    put_thread_frame(folding, thread);
    while (depth > 0) {
        put_method_frame(folding, path[--depth]);
    }
}

static int64_t weigh(const struct export_report *report, const struct trace_node *node)
{
    bool is_last = node->depth + 1 == MAX_DEPTH;

    return report->weight == EXPORT_WEIGHT_CALLS
               ? (int64_t)(node->calls & INT64_MAX)
               : export_ns(report, is_last ? node->total : node->own);
}

static void add_line(struct folding *folding, const struct export_thread *thread, uint32_t index)
{
    const struct trace_node *node = &thread->nodes[index];
    struct line line = {.start = folding->text.size, .weight = weigh(folding->report, node)};

    if (node->depth < MAX_DEPTH && line.weight > 0) {
        put_stack(folding, thread, index);
        line.text.size = folding->text.size - line.start;
        mb_buf_put(&folding->lines, &line, sizeof(line));
    }
}

static int by_text(const void *a, const void *b)
{
    return mb_text_compare(((const struct line *)a)->text, ((const struct line *)b)->text);
}

/* Threads of one name share their lines. */
static void put_lines(struct folding *folding, struct export_writer *writer)
{
    struct mb_buf *out = &writer->out;
    struct line *lines = (void *)folding->lines.bytes;
    size_t count = folding->lines.size / sizeof(*lines);
    int64_t weight = 0;

    for (size_t i = 0; i < count; i++) {
        lines[i].text.data = (const char *)folding->text.bytes + lines[i].start;
    }
    if (count > 0) {
        qsort(lines, count, sizeof(*lines), by_text);
    }
    for (size_t i = 0; i < count; i++) {
        weight = trace_add(weight, lines[i].weight);
        if (i + 1 == count || !mb_text_equal(lines[i].text, lines[i + 1].text)) {
            mb_buf_put(out, lines[i].text.data, lines[i].text.size);
            mb_buf_printf(out, " %" PRId64 "\n", weight);
            weight = 0;
            export_drain(writer);
        }
    }
}

static void put_stacks(struct export_writer *writer)
{
    const struct export_report *report = writer->report;
    struct mb_buf *out = &writer->out;
    struct folding folding = {.report = report};

    for (size_t t = 0; t < report->thread_count; t++) {
        for (uint32_t i = 0; i < report->threads[t].node_count; i++) {
            add_line(&folding, &report->threads[t], i);
        }
    }
    out->failed = out->failed || folding.text.failed || folding.lines.failed;
    if (!out->failed) {
        put_lines(&folding, writer);
    }
    mb_buf_finish(&folding.text);
    mb_buf_finish(&folding.lines);
}

const struct export_format export_folded = {
    .name = "folded",
    .extension = ".folded",
    .end = put_stacks,
};
