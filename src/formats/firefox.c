/* Firefox Profiler's processed profile, version 60, which later ones read too. What it calls a
 * sample is here a stretch: from one entry or exit of a thread to the next its stack stays the
 * same. Two of them are at one time where a call ends as another begins, so that they are not drawn
 * as one. */

#include "formats/firefox.h"

#include "answer/marks.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- Stretches come in ---- */

static void begin_thread(struct format_writer *writer, const struct answer_thread *thread)
{
    struct format_firefox *state = writer->state;
    const struct format_firefox_thread row = {thread, MB_VEC_COUNT(&state->stretches)};

    MB_VEC_PUSH(&state->threads, row);
    state->last = FORMAT_FIREFOX_START;
    state->stack = TRACE_NO_NODE;
}

/* The stack is another one from now on. Of several entries at one time the last tells all, and so
 * of exits. */
static void change_stack(struct format_writer *writer, uint32_t stack, uint64_t ns,
                         enum format_firefox_event event)
{
    struct format_firefox *state = writer->state;
    size_t count = MB_VEC_COUNT(&state->stretches);
    const struct format_firefox_stretch stretch = {ns, stack};

    state->stack = stack;
    if (state->last == event && format_firefox_at(state, count - 1)->start_ns == ns) {
        format_firefox_at(state, count - 1)->stack = stack;
        return;
    }
    state->last = event;
    MB_VEC_PUSH(&state->stretches, stretch);
    if (state->stretches.buf.failed) {
        writer->out.failed = true;
        state->last = FORMAT_FIREFOX_START;
    }
}

static void enter_call(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    struct format_firefox *state = writer->state;
    uint32_t stack = trace_profile_child(&state->tree, state->stack, item->id);

    if (stack == TRACE_NO_NODE) {
        writer->out.failed = true;
        return;
    }
    change_stack(writer, stack, ns, FORMAT_FIREFOX_ENTRY);
}

static void leave_call(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    struct format_firefox *state = writer->state;
    size_t count;
    const struct trace_node *nodes = trace_profile_nodes(&state->tree, &count);

    (void)item;
    if (!writer->out.failed && state->stack < count) {
        change_stack(writer, nodes[state->stack].parent, ns, FORMAT_FIREFOX_EXIT);
    }
}

static void put_calls(struct format_writer *writer, const struct answer_thread *thread,
                      const struct trace_stack *stack)
{
    (void)thread;
    format_walk_calls(writer, stack, &(struct format_walk){enter_call, leave_call});
    format_firefox_limit(writer);
}

/* ---- Columns ---- */

static void put_ms(struct mb_buf *out, uint64_t ns)
{
    mb_buf_printf(out, "%" PRIu64 ".%06u", ns / (uint64_t)MB_NS_PER_MS,
                  (unsigned)(ns % (uint64_t)MB_NS_PER_MS));
}

/* A member that is an array of so many values. */
typedef void put_value_fn(struct format_writer *writer, size_t index);
static void put_column(struct format_writer *writer, const char *name, size_t first, size_t count,
                       put_value_fn *put_value)
{
    mb_buf_printf(&writer->out, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(&writer->out, i > 0 ? "," : "");
        put_value(writer, first + i);
        format_drain(writer);
    }
    mb_buf_put_string(&writer->out, "],");
}

/* The same value each time. */
static void put_constants(struct format_writer *writer, const char *name, const char *value,
                          size_t count)
{
    mb_buf_printf(&writer->out, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(&writer->out, i > 0 ? "," : "");
        mb_buf_put_string(&writer->out, value);
        format_drain(writer);
    }
    mb_buf_put_string(&writer->out, "],");
}

static void put_length(struct format_writer *writer, size_t count)
{
    mb_buf_printf(&writer->out, "\"length\":%zu}", count);
}

static void put_index(struct format_writer *writer, size_t index)
{
    mb_buf_printf(&writer->out, "%zu", index);
}

/* ---- A thread ---- */

static void put_stack(struct format_writer *writer, size_t index)
{
    uint32_t stack = format_firefox_at(writer->state, index)->stack;

    if (stack == TRACE_NO_NODE) {
        mb_buf_put_string(&writer->out, "null");
    } else {
        mb_buf_printf(&writer->out, "%" PRIu32, stack);
    }
}

static void put_time(struct format_writer *writer, size_t index)
{
    put_ms(&writer->out, format_firefox_at(writer->state, index)->start_ns);
}

/* The last stretch of a thread has no call. */
static void put_weight(struct format_writer *writer, size_t index)
{
    const struct format_firefox_stretch *row = format_firefox_at(writer->state, index);

    put_ms(&writer->out, row->stack != TRACE_NO_NODE ? row[1].start_ns - row->start_ns : 0);
}

static void put_samples(struct format_writer *writer, size_t first, size_t count)
{
    mb_buf_put_string(&writer->out, "\"samples\":{\"weightType\":\"tracing-ms\",");
    put_column(writer, "stack", first, count, put_stack);
    put_column(writer, "time", first, count, put_time);
    put_column(writer, "weight", first, count, put_weight);
    put_length(writer, count);
}

static void put_thread(struct format_writer *writer, const struct format_firefox_thread *row,
                       size_t end)
{
    struct mb_buf *out = &writer->out;

    mb_buf_put_string(out, "{\"processType\":\"default\",\"processStartupTime\":0,"
                           "\"processShutdownTime\":null,\"registerTime\":0,"
                           "\"unregisterTime\":null,\"pausedRanges\":[],"
                           "\"showMarkersInTimeline\":true,\"name\":");
    mb_buf_put_json_string(out, row->thread->name);
    mb_buf_printf(out, ",\"isMainThread\":%s,\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu32,
                  row->thread->is_main ? "true" : "false", writer->process->id, row->thread->id);
    mb_buf_put_string(out, ",\"processName\":");
    mb_buf_put_json_string(out, writer->process->name);
    mb_buf_put_u1(out, ',');
    put_samples(writer, row->first, end - row->first);
    mb_buf_put_string(out, ",\n");
    format_firefox_put_markers(writer, row->thread);
    mb_buf_put_u1(out, '}');
}

static void put_threads(struct format_writer *writer)
{
    const struct format_firefox *state = writer->state;
    const struct format_firefox_thread *rows = state->threads.items;
    size_t count = MB_VEC_COUNT(&state->threads);

    mb_buf_put_string(&writer->out, "\"threads\":[");
    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(&writer->out, i > 0 ? ",\n" : "\n");
        put_thread(writer, &rows[i],
                   i + 1 < count ? rows[i + 1].first : MB_VEC_COUNT(&state->stretches));
    }
    mb_buf_put_string(&writer->out, "],\n");
}

/* ---- What threads share ---- */

static const struct trace_node *node_at(const struct format_writer *writer, size_t index)
{
    const struct format_firefox *state = writer->state;
    size_t count;

    return &trace_profile_nodes(&state->tree, &count)[index];
}

/* A method has one function and one frame, and its name is the string of that number. */
static void put_frame(struct format_writer *writer, size_t index)
{
    struct format_firefox *state = writer->state;
    uint32_t number =
        format_ids_number(&state->functions, node_at(writer, index)->id, &writer->out, NULL);

    mb_buf_printf(&writer->out, "%" PRIu32, number - 1);
}

static void put_prefix(struct format_writer *writer, size_t index)
{
    uint32_t parent = node_at(writer, index)->parent;

    if (parent == TRACE_NO_NODE) {
        mb_buf_put_string(&writer->out, "null");
    } else {
        mb_buf_printf(&writer->out, "%" PRIu32, parent);
    }
}

static void put_stack_table(struct format_writer *writer)
{
    const struct format_firefox *state = writer->state;
    size_t count;

    (void)trace_profile_nodes(&state->tree, &count);
    mb_buf_put_string(&writer->out, "\"stackTable\":{");
    put_column(writer, "frame", 0, count, put_frame);
    put_column(writer, "prefix", 0, count, put_prefix);
    put_length(writer, count);
}

static void find_marks(struct format_writer *writer, const uint32_t *ids, size_t count)
{
    struct format_firefox *state = writer->state;
    const struct answer_methods *methods = &writer->facts->methods;
    struct trace_method *rows = answer_sort_methods(methods->rows, methods->count, ANSWER_BY_ID);

    for (size_t i = 0; i < count && rows != NULL; i++) {
        mb_buf_put_u1(&state->marks, answer_find_marks(methods, rows, ids[i]).set);
    }
    writer->out.failed = writer->out.failed || rows == NULL || state->marks.failed;
    free(rows);
}

static unsigned marks_at(const struct format_writer *writer, size_t index)
{
    const struct format_firefox *state = writer->state;

    return index < state->marks.size ? state->marks.bytes[index] : 0;
}

static void put_category(struct format_writer *writer, size_t index)
{
    mb_buf_printf(
        &writer->out, "%d",
        (int)(marks_at(writer, index) != 0 ? FORMAT_FIREFOX_UNCERTAIN : FORMAT_FIREFOX_OTHER));
}

static void put_subcategory(struct format_writer *writer, size_t index)
{
    mb_buf_printf(&writer->out, "%u", marks_at(writer, index));
}

static void put_frame_table(struct format_writer *writer, size_t count)
{
    mb_buf_put_string(&writer->out, ",\n\"frameTable\":{");
    put_column(writer, "func", 0, count, put_index);
    put_constants(writer, "address", "-1", count);
    put_constants(writer, "inlineDepth", "0", count);
    put_column(writer, "category", 0, count, put_category);
    put_column(writer, "subcategory", 0, count, put_subcategory);
    put_constants(writer, "nativeSymbol", "null", count);
    put_constants(writer, "innerWindowID", "0", count);
    put_constants(writer, "line", "null", count);
    put_constants(writer, "column", "null", count);
    put_length(writer, count);
}

static void put_function_table(struct format_writer *writer, size_t count)
{
    mb_buf_put_string(&writer->out, ",\n\"funcTable\":{");
    put_column(writer, "name", FORMAT_FIREFOX_STRING_COUNT, count, put_index);
    put_constants(writer, "isJS", "false", count);
    put_constants(writer, "relevantForJS", "false", count);
    put_constants(writer, "resource", "-1", count);
    put_constants(writer, "source", "null", count);
    put_constants(writer, "lineNumber", "null", count);
    put_constants(writer, "columnNumber", "null", count);
    put_length(writer, count);
}

static void put_strings(struct format_writer *writer, const uint32_t *ids, size_t count)
{
    struct mb_buf *out = &writer->out;

    mb_buf_put_string(out, ",\n\"stringArray\":[");
    for (size_t i = 0; i < FORMAT_FIREFOX_STRING_COUNT; i++) {
        mb_buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", format_firefox_strings[i]);
    }
    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(out, ",\n");
        answer_put_json_name(out, writer->names, ids[i]);
        format_drain(writer);
    }
    mb_buf_put_string(out, "]");
}

static void put_shared(struct format_writer *writer)
{
    const struct format_firefox *state = writer->state;

    mb_buf_put_string(&writer->out, "\"shared\":{");
    put_stack_table(writer);
    const uint32_t *ids = state->functions.seen.items;
    size_t count = MB_VEC_COUNT(&state->functions.seen);
    find_marks(writer, ids, count);
    put_frame_table(writer, count);
    put_function_table(writer, count);
    put_strings(writer, ids, count);
    mb_buf_put_string(&writer->out,
                      ",\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],"
                      "\"length\":0},\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
                      "\"name\":[],\"functionSize\":[],\"length\":0},"
                      "\"sources\":{\"uuid\":[],\"filename\":[],\"length\":0}}}\n");
}

static void put_file(struct format_writer *writer)
{
    const struct format_firefox *state = writer->state;

    if (writer->out.failed || state->stretches.buf.failed) {
        writer->out.failed = true;
        return;
    }
    format_firefox_put_meta(writer);
    put_threads(writer);
    put_shared(writer);
}

static void finish_state(struct format_writer *writer)
{
    struct format_firefox *state = writer->state;

    trace_profile_finish(&state->tree);
    format_ids_finish(&state->functions);
    mb_buf_finish(&state->stretches.buf);
    mb_buf_finish(&state->threads.buf);
    mb_buf_finish(&state->open.buf);
    mb_buf_finish(&state->marks);
}

const struct format format_firefox = {
    .name = "firefox",
    .extension = ".firefox.json",
    .wants_calls = true,
    .takes_issues = true,
    .state_size = sizeof(struct format_firefox),
    .thread = begin_thread,
    .calls = put_calls,
    .end = put_file,
    .finish = finish_state,
};
