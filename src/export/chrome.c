/* The Trace Event Format, which Perfetto, speedscope and chrome://tracing open. Times in us. */

#include "export/writer.h"

#include <inttypes.h>

#define NS_PER_US 1000

static void put_us(struct mb_buf *out, const char *field, int64_t ns)
{
    mb_buf_printf(out, ",\"%s\":%" PRId64 ".%03d", field, ns / NS_PER_US, (int)(ns % NS_PER_US));
}

/* Both ends are converted, so that a call whose end is its caller's does not outlast it. */
static void put_times(const struct export_report *report, const struct trace_item *item,
                      struct mb_buf *out)
{
    int64_t start = (int64_t)(item->start & INT64_MAX);
    bool fits = item->duration <= INT64_MAX - start;
    int64_t start_ns = export_ns(report, start);
    int64_t end_ns = fits ? export_ns(report, start + item->duration) : INT64_MAX;

    put_us(out, "ts", start_ns);
    put_us(out, "dur", end_ns - start_ns);
}

static void begin_events(struct export_writer *writer)
{
    const struct export_report *report = writer->report;
    struct mb_buf *out = &writer->out;

    mb_buf_printf(out,
                  "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                  "{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"name\":\"process_name\",\"args\":{\"name\":",
                  report->process_id);
    mb_buf_put_json_string(out, report->process_name);
    mb_buf_put_string(out, "}}");
}

static void put_thread(struct export_writer *writer, const struct export_thread *thread)
{
    struct mb_buf *out = &writer->out;

    mb_buf_printf(out,
                  ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
                  ",\"name\":\"thread_name\",\"args\":{\"name\":",
                  writer->report->process_id, thread->id);
    mb_buf_put_json_string(out, thread->name);
    mb_buf_put_string(out, "}}");
}

static void put_calls(struct export_writer *writer, const struct export_thread *thread,
                      const struct trace_stack *stack)
{
    const struct export_report *report = writer->report;
    struct mb_buf *out = &writer->out;

    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        mb_buf_printf(out, ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":",
                      report->process_id, thread->id);
        export_put_json_name(out, &report->names, item->id);
        put_times(report, item, out);
        mb_buf_put_string(out, item->is_open ? ",\"args\":{\"open\":true}}" : "}");
        export_drain(writer);
    }
}

static void end_events(struct export_writer *writer)
{
    mb_buf_put_string(&writer->out, "\n]}\n");
}

const struct export_format export_chrome = {
    .name = "chrome",
    .extension = ".chrome.json",
    .wants_calls = true,
    .begin = begin_events,
    .thread = put_thread,
    .calls = put_calls,
    .end = end_events,
};
