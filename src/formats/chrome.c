/* The Trace Event Format, which Perfetto, speedscope and chrome://tracing open. Times in us. */

#include "formats/writer.h"

#include "answer/marks.h"
#include "base/clock.h"

#include <inttypes.h>

static void put_us(struct mb_buf *out, const char *field, int64_t ns)
{
    mb_buf_printf(out, ",\"%s\":%" PRId64 ".%03d", field, ns / MB_NS_PER_US,
                  (int)(ns % MB_NS_PER_US));
}

/* Both ends are converted, so that a call whose end is its caller's does not outlast it. */
static void put_times(const struct answer_clock *clock, const struct trace_item *item,
                      struct mb_buf *out)
{
    int64_t start = (int64_t)(item->start & INT64_MAX);
    bool fits = item->duration <= INT64_MAX - start;
    int64_t start_ns = answer_ns(clock, start);
    int64_t end_ns = fits ? answer_ns(clock, start + item->duration) : INT64_MAX;

    put_us(out, "ts", start_ns);
    put_us(out, "dur", end_ns - start_ns);
}

static void begin_events(struct format_writer *writer)
{
    struct mb_buf *out = &writer->out;

    mb_buf_printf(out,
                  "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                  "{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"name\":\"process_name\",\"args\":{\"name\":",
                  writer->process->id);
    mb_buf_put_json_string(out, writer->process->name);
    mb_buf_put_string(out, "}}");
}

static void put_thread(struct format_writer *writer, const struct answer_thread *thread)
{
    struct mb_buf *out = &writer->out;

    mb_buf_printf(out,
                  ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
                  ",\"name\":\"thread_name\",\"args\":{\"name\":",
                  writer->process->id, thread->id);
    mb_buf_put_json_string(out, thread->name);
    mb_buf_put_string(out, "}}");
}

static void put_calls(struct format_writer *writer, const struct answer_thread *thread,
                      const struct trace_stack *stack)
{
    struct mb_buf *out = &writer->out;

    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        mb_buf_printf(out, ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":",
                      writer->process->id, thread->id);
        answer_put_json_name(out, writer->names, item->id);
        put_times(writer->clock, item, out);
        mb_buf_put_string(out, item->is_open && item->is_sampled
                                   ? ",\"args\":{\"open\":true,\"sampled\":true}}"
                               : item->is_open     ? ",\"args\":{\"open\":true}}"
                               : item->is_inferred ? ",\"args\":{\"inferredEnd\":true}}"
                               : item->is_sampled  ? ",\"args\":{\"sampled\":true}}"
                                                   : "}");
        format_drain(writer);
    }
}

/* ---- What monitors told ---- */

static void put_event(struct format_writer *writer, const char *kind, struct mb_text name,
                      uint64_t ns)
{
    mb_buf_printf(&writer->out, ",\n{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"name\":", kind,
                  writer->process->id);
    mb_buf_put_json_string(&writer->out, name);
    put_us(&writer->out, "ts", (int64_t)ns);
}

/* On its thread if that is known, else on the process. */
static void put_scope(struct format_writer *writer, const struct answer_event *event)
{
    const struct answer_threads *threads = &writer->facts->threads;

    for (size_t i = 0; i < threads->count; i++) {
        if (mb_text_equal(threads->rows[i].name, event->issue->loop)) {
            mb_buf_printf(&writer->out, ",\"s\":\"t\",\"tid\":%" PRIu32, threads->rows[i].id);
            return;
        }
    }
    mb_buf_put_string(&writer->out, ",\"s\":\"p\"");
}

static void put_issue(struct format_writer *writer, const struct answer_event *event)
{
    struct mb_buf *out = &writer->out;

    put_event(writer, "i", event->issue->detail, event->start_ns);
    put_scope(writer, event);
    mb_buf_printf(out, ",\"args\":{\"durationNs\":%" PRIu64, event->duration_ns);
    format_put_field(out, "cause", event->label);
    format_put_field(out, "thread", event->issue->loop);
    format_put_field(out, "message", event->issue->message);
    format_put_field(out, "scene", event->issue->scene);
    format_put_field(out, "stack", event->issue->frames);
    mb_buf_put_string(out, "}}");
}

static void put_rate(struct format_writer *writer, uint64_t ns, uint32_t fps)
{
    put_event(writer, "C", MB_TEXT("FPS"), ns);
    mb_buf_printf(&writer->out, ",\"args\":{\"fps\":%" PRIu32 ".%02" PRIu32 "}}", fps / 100,
                  fps % 100);
}

static void put_events(struct format_writer *writer)
{
    const struct answer_monitors *monitors = &writer->facts->monitors;

    for (size_t i = 0; i < monitors->event_count; i++) {
        const struct answer_event *event = &monitors->events[i];
        if (!event->issue->drawn.has_fps) {
            put_issue(writer, event);
            continue;
        }
        put_rate(writer, event->start_ns, (uint32_t)event->issue->drawn.fps);
        if (answer_next_drawn(monitors, event) == NULL) {
            put_rate(writer, event->start_ns + event->duration_ns, 0);
        }
        format_drain(writer);
    }
}

/* What is known of methods only at the end: {"~ muted while ...":"a.Main.run"}. */
static void put_marks(struct format_writer *writer)
{
    struct mb_buf *out = &writer->out;
    struct mb_buf methods = {0};
    const char *before = ",\"otherData\":{";
    const char *after = "";

    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        mb_buf_reset(&methods);
        answer_put_marked(&writer->facts->methods, &methods, i);
        mb_buf_fail_with(out, &methods);
        if (methods.size > 0) {
            mb_buf_printf(out, "%s\n\"%s %s\":", before, answer_mark_infos[i].sign,
                          answer_words(answer_mark_infos[i].meaning));
            mb_buf_put_json_string(out, (struct mb_text){(char *)methods.bytes, methods.size});
            before = ",";
            after = "}";
        }
    }
    mb_buf_put_string(out, after);
    mb_buf_finish(&methods);
}

static void end_events(struct format_writer *writer)
{
    put_events(writer);
    mb_buf_put_string(&writer->out, "\n]");
    put_marks(writer);
    mb_buf_put_string(&writer->out, "}\n");
}

const struct format format_chrome = {
    .name = "chrome",
    .extension = ".trace.json",
    .other_extension = ".chrome.json", /* which Speedscope takes for a CPU profile */
    .wants_calls = true,
    .takes_issues = true,
    .begin = begin_events,
    .thread = put_thread,
    .calls = put_calls,
    .end = end_events,
};
