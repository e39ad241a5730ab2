#include "formats/firefox.h"

#include "answer/cost.h"
#include "answer/marks.h"
#include "base/clock.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const format_firefox_strings[FORMAT_FIREFOX_STRING_COUNT] = {
    [FORMAT_FIREFOX_SLOW] = "slow message",
    [FORMAT_FIREFOX_ISSUE] = "issue",
    [FORMAT_FIREFOX_FRAMES] = "frames",
};

static void put_ms(struct mb_buf *out, int64_t ns)
{
    mb_buf_printf(out, "%" PRId64 ".%06u", ns / MB_NS_PER_MS, (unsigned)(ns % MB_NS_PER_MS));
}

/* ---- meta ---- */

static void put_note(struct mb_buf *out, const char *label, const char *format, int64_t value)
{
    mb_buf_printf(out, ",{\"label\":\"%s\",\"format\":\"%s\",\"value\":%" PRId64 "}", label, format,
                  value);
}

/* What markers of each kind have, and how they are shown. */
static void put_schemas(struct mb_buf *out)
{
    static const struct {
        const char *name;
        const char *label;
        const char *fields; /* key, label and format each */
    } schemas[] = {
        {"slow", "{marker.data.method}",
         "method Method string key Key string threshold Threshold duration"},
        {"issue", "{marker.data.detail} {marker.data.cause}",
         "detail Detail string cause Cause string loop Thread string message Message string "
         "scene Scene string stack Stack string"},
        {"frames", "{marker.data.scene}", "scene Scene string fps FPS decimal"},
    };

    mb_buf_put_string(out, ",\"markerSchema\":[");
    for (size_t i = 0; i < MB_COUNT(schemas); i++) {
        struct mb_text words = mb_text_of(schemas[i].fields);
        mb_buf_printf(out,
                      "%s\n{\"name\":\"%s\",\"tooltipLabel\":\"%s\",\"tableLabel\":\"%s\","
                      "\"chartLabel\":\"%s\",\"display\":[\"marker-chart\",\"marker-table\","
                      "\"timeline-overview\"],\"fields\":[",
                      i > 0 ? "," : "", schemas[i].name, schemas[i].label, schemas[i].label,
                      schemas[i].label);
        for (bool is_first = true; words.size > 0; is_first = false) {
            struct mb_text key = mb_text_split(&words, ' ');
            struct mb_text label = mb_text_split(&words, ' ');
            struct mb_text format = mb_text_split(&words, ' ');
            mb_buf_printf(out, "%s{\"key\":\"%.*s\",\"label\":\"%.*s\",\"format\":\"%.*s\"}",
                          is_first ? "" : ",", (int)key.size, key.data, (int)label.size, label.data,
                          (int)format.size, format.data);
        }
        mb_buf_put_string(out, "]}");
    }
    mb_buf_put_u1(out, ']');
}

/* "muted", "muted, inferred": one for each set of marks. */
static void put_subcategories(struct mb_buf *out)
{
    mb_buf_put_string(out, "\"Other\"");
    for (unsigned set = 1; set < ANSWER_MARK_SETS; set++) {
        const struct answer_marks marks = {.set = set};
        const char *before = ",\"";
        for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
            if (answer_has_mark(&marks, i)) {
                mb_buf_printf(out, "%s%s", before, answer_mark_infos[i].word);
                before = ", ";
            }
        }
        mb_buf_put_u1(out, '"');
    }
}

static void put_categories(struct mb_buf *out)
{
    mb_buf_put_string(out, ",\"categories\":["
                           "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
                           "{\"name\":\"Uncertain\",\"color\":\"yellow\",\"subcategories\":[");
    put_subcategories(out);
    mb_buf_put_string(out, "]}]");
}

/* The methods of each mark, beside what it means. */
static void put_marks(struct format_writer *writer)
{
    struct mb_buf methods = {0};

    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        mb_buf_reset(&methods);
        answer_put_marked(&writer->facts->methods, &methods, i);
        mb_buf_fail_with(&writer->out, &methods);
        if (methods.size > 0) {
            mb_buf_printf(&writer->out, ",{\"label\":\"%s %s\",\"format\":\"string\",\"value\":",
                          answer_mark_infos[i].sign, answer_words(answer_mark_infos[i].meaning));
            mb_buf_put_json_string(&writer->out,
                                   (struct mb_text){(char *)methods.bytes, methods.size});
            mb_buf_put_u1(&writer->out, '}');
        }
    }
    mb_buf_finish(&methods);
}

/* What people see behind the page's information. */
static void put_extra(struct format_writer *writer)
{
    const struct format_firefox *state = writer->state;
    const struct answer_sums sums = answer_sum(&writer->facts->threads);
    struct mb_buf *out = &writer->out;

    mb_buf_put_string(out, ",\"extra\":[{\"label\":\"methodbeat\",\"entries\":[{\"label\":"
                           "\"Version\",\"format\":\"string\",\"value\":\"" MB_VERSION "\"}");
    put_note(out, "Cost of calling probes", "nanoseconds",
             answer_overhead_ns(writer->clock, &writer->facts->threads));
    put_note(out, "Records overwritten", "integer", (int64_t)sums.losses.lapped_words);
    if (state->is_cut) {
        put_note(out, "Left out: calls shorter than", "nanoseconds", FORMAT_FIREFOX_SHORTEST_NS);
    }
    put_marks(writer);
    mb_buf_put_string(out, "]}]");
}

void format_firefox_put_meta(struct format_writer *writer)
{
    const struct answer_process *process = writer->process;
    const struct format_firefox *state = writer->state;
    struct mb_buf *out = &writer->out;

    mb_buf_put_string(out, "{\"meta\":{\"interval\":1,\"startTime\":");
    put_ms(out, process->wall_start_ns > 0 ? process->wall_start_ns : 0);
    mb_buf_printf(out, ",\"startTimeAsClockMonotonicNanosecondsSinceBoot\":%" PRId64,
                  process->monotonic_start_ns);
    mb_buf_put_string(out, ",\"product\":");
    mb_buf_put_json_string(out, process->name);
    mb_buf_printf(out, ",\"importedFrom\":\"methodbeat%s\"",
                  state->is_cut ? ", without calls shorter than 10 us" : "");
    mb_buf_put_string(
        out, ",\"processType\":0,\"stackwalk\":0,\"version\":29,\"preprocessedProfileVersion\":60,"
             "\"symbolicated\":true,\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":"
             "\"ms\",\"threadCPUDelta\":\"ns\"},\"usesOnlyOneStackType\":true,"
             "\"sourceCodeIsNotOnSearchfox\":true,\"keepProfileThreadOrder\":true");
    put_categories(out);
    put_schemas(out);
    put_extra(writer);
    mb_buf_put_string(out, "},\n\"libs\":[],\n");
}

/* ---- Markers ---- */

struct marker {
    int64_t start_ns;
    int64_t end_ns;
    const struct answer_slow *slow;   /* one of the two */
    const struct answer_event *event; /* of the main thread's */
};
MB_VEC_TYPE(markers, struct marker);

static int by_start(const void *a, const void *b)
{
    const struct marker *x = a;
    const struct marker *y = b;

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Of the thread, in order of their start. */
static union markers collect_markers(const struct answer_messages *messages,
                                     const struct answer_monitors *monitors,
                                     const struct answer_threads *threads,
                                     const struct answer_thread *thread)
{
    union markers markers = {0};

    for (size_t i = 0; i < messages->slow_count; i++) {
        const struct answer_slow *slow = &messages->slow[i];
        const struct marker marker = {(int64_t)slow->start_ns,
                                      (int64_t)slow->start_ns + slow->duration_ns, slow, NULL};
        if (slow->thread == thread) {
            MB_VEC_PUSH(&markers, marker);
        }
    }
    for (size_t i = 0; thread == threads->rows && i < monitors->event_count; i++) {
        const struct answer_event *event = &monitors->events[i];
        const struct marker marker = {(int64_t)event->start_ns,
                                      (int64_t)(event->start_ns + event->duration_ns), NULL, event};
        MB_VEC_PUSH(&markers, marker);
    }
    MB_VEC_SORT(&markers, by_start);
    return markers;
}

static void put_event(struct mb_buf *out, const struct answer_event *event)
{
    mb_buf_printf(out, "{\"type\":\"%s\"", event->issue->drawn.has_fps ? "frames" : "issue");
    format_put_field(out, "detail", event->issue->detail);
    format_put_field(out, "cause", event->label);
    format_put_field(out, "loop", event->issue->loop);
    format_put_field(out, "message", event->issue->message);
    format_put_field(out, "scene", event->issue->scene);
    format_put_field(out, "stack", event->issue->frames);
    if (event->issue->drawn.has_fps) {
        mb_buf_printf(out, ",\"fps\":%" PRIu32 ".%02" PRIu32,
                      (uint32_t)event->issue->drawn.fps / 100,
                      (uint32_t)event->issue->drawn.fps % 100);
    }
    mb_buf_put_u1(out, '}');
}

static void put_data(struct format_writer *writer, const struct marker *marker)
{
    struct mb_buf *out = &writer->out;

    if (marker->event != NULL) {
        put_event(out, marker->event);
        return;
    }
    mb_buf_put_string(out, "{\"type\":\"slow\",\"method\":");
    answer_put_json_name(out, writer->names, marker->slow->id);
    mb_buf_put_string(out, ",\"key\":");
    answer_put_json_name(out, writer->names, marker->slow->key);
    mb_buf_put_string(out, ",\"threshold\":");
    put_ms(out, writer->facts->messages.threshold_ns);
    mb_buf_put_u1(out, '}');
}

static void put_name(struct format_writer *writer, const struct marker *marker)
{
    enum format_firefox_string name = marker->slow != NULL                  ? FORMAT_FIREFOX_SLOW
                                      : marker->event->issue->drawn.has_fps ? FORMAT_FIREFOX_FRAMES
                                                                            : FORMAT_FIREFOX_ISSUE;

    mb_buf_printf(&writer->out, "%d", (int)name);
}

static void put_start(struct format_writer *writer, const struct marker *marker)
{
    put_ms(&writer->out, marker->start_ns);
}

static void put_end(struct format_writer *writer, const struct marker *marker)
{
    put_ms(&writer->out, marker->end_ns);
}

/* It lasts from its start to its end. */
static void put_phase(struct format_writer *writer, const struct marker *marker)
{
    (void)marker;
    mb_buf_put_u1(&writer->out, '1');
}

static void put_category(struct format_writer *writer, const struct marker *marker)
{
    (void)marker;
    mb_buf_put_u1(&writer->out, '0');
}

void format_firefox_put_markers(struct format_writer *writer, const struct answer_thread *thread)
{
    static const struct {
        const char *name;
        void (*put)(struct format_writer *writer, const struct marker *marker);
    } columns[] = {{"data", put_data},   {"name", put_name},   {"startTime", put_start},
                   {"endTime", put_end}, {"phase", put_phase}, {"category", put_category}};
    union markers markers = collect_markers(&writer->facts->messages, &writer->facts->monitors,
                                            &writer->facts->threads, thread);
    size_t count = MB_VEC_COUNT(&markers);

    mb_buf_put_string(&writer->out, "\"markers\":{");
    for (size_t c = 0; c < MB_COUNT(columns); c++) {
        mb_buf_printf(&writer->out, "\"%s\":[", columns[c].name);
        for (size_t i = 0; i < count; i++) {
            mb_buf_put_string(&writer->out, i > 0 ? "," : "");
            columns[c].put(writer, &markers.items[i]);
            format_drain(writer);
        }
        mb_buf_put_string(&writer->out, "],");
    }
    mb_buf_printf(&writer->out, "\"length\":%zu}", count);
    mb_buf_finish_part(&writer->out, &markers.buf);
}
