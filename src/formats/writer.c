#include "formats/writer.h"

#include <stdlib.h>

#define PIECE_SIZE ((size_t)1 << 20) /* for the sink */

enum mb_status format_writer_init(struct format_writer *writer, const struct format *format,
                                  const struct format_look *look, const struct format_sink *sink,
                                  struct mb_error *err)
{
    *writer = (struct format_writer){
        .format = format,
        .look = look != NULL ? *look : (struct format_look){0},
        .sink = sink != NULL ? *sink : (struct format_sink){0},
        .state = calloc(1, format->state_size + 1),
    };
    return writer->state != NULL ? MB_OK : mb_fail_memory(err);
}

void format_writer_finish(struct format_writer *writer)
{
    if (writer->state != NULL && writer->format->finish != NULL) {
        writer->format->finish(writer);
    }
    free(writer->state);
    writer->state = NULL;
    mb_buf_finish(&writer->open.buf);
    mb_buf_finish(&writer->out);
}

static void let_go(struct format_writer *writer)
{
    if (writer->status == MB_OK) {
        writer->status = mb_buf_check(&writer->out, &writer->error);
    }
    if (writer->sink.take == NULL) {
        return;
    }
    if (writer->status == MB_OK && writer->out.size > 0) {
        writer->status = writer->sink.take(writer->sink.context, writer->out.bytes,
                                           writer->out.size, &writer->error);
    }
    mb_buf_reset(&writer->out);
}

void format_drain(struct format_writer *writer)
{
    if (writer->out.size >= PIECE_SIZE) {
        let_go(writer);
    }
}

bool format_begin_file(struct format_writer *writer, const char *name)
{
    if (writer->sink.begin_file == NULL) {
        return false;
    }
    let_go(writer);
    if (writer->status == MB_OK) {
        writer->status = writer->sink.begin_file(writer->sink.context, name, &writer->error);
    }
    return true;
}

void format_begin(struct format_writer *writer, const struct answer_facts *facts)
{
    writer->process = &facts->process;
    writer->clock = &facts->clock;
    writer->names = &facts->methods.names;
    writer->facts = NULL;
    if (writer->format->begin != NULL) {
        writer->format->begin(writer);
        format_drain(writer);
    }
}

void format_thread(struct format_writer *writer, const struct answer_thread *thread)
{
    writer->last_ns = 0;
    if (writer->format->thread != NULL) {
        writer->format->thread(writer, thread);
        format_drain(writer);
    }
}

void format_calls(struct format_writer *writer, const struct answer_thread *thread,
                  const struct trace_stack *stack)
{
    if (writer->format->calls != NULL) {
        writer->format->calls(writer, thread, stack);
        format_drain(writer);
    }
}

void format_end(struct format_writer *writer, const struct answer_facts *facts)
{
    writer->facts = facts;
    if (writer->format->end != NULL) {
        writer->format->end(writer);
    }
    let_go(writer);
}

enum mb_status format_writer_check(const struct format_writer *writer, struct mb_error *err)
{
    if (writer->status != MB_OK && err != NULL) {
        *err = writer->error;
    }
    return writer->status != MB_OK ? writer->status : mb_buf_check(&writer->out, err);
}

/* ---- A whole trace ---- */

static void begin_trace(void *context, const struct answer_facts *facts)
{
    format_begin(context, facts);
}

static void take_thread(void *context, const struct answer_thread *thread)
{
    format_thread(context, thread);
}

static enum mb_status take_calls(void *context, const struct answer_thread *thread,
                                 const struct trace_stack *stack, struct mb_error *err)
{
    format_calls(context, thread, stack);
    return format_writer_check(context, err);
}

static enum mb_status write_pass(struct format_writer *writer, struct answer_model *model,
                                 const struct answer_trace *trace,
                                 const struct answer_options *options, struct mb_error *err)
{
    const struct answer_listener listener = {.context = writer,
                                             .wants_calls = writer->format->wants_calls,
                                             .begin = begin_trace,
                                             .thread = take_thread,
                                             .calls = take_calls};

    MB_TRY(answer_model_build(model, trace, options, &listener, err));
    format_end(writer, &model->facts);
    return format_writer_check(writer, err);
}

/* What the format has to know of all calls before it writes the first: the rest is made again. */
static enum mb_status survey_calls(struct format_writer *writer, const struct answer_trace *trace,
                                   const struct answer_options *options, struct mb_error *err)
{
    const struct format *format = writer->format;
    struct answer_model model = {0};

    writer->format = format->survey;
    enum mb_status status = write_pass(writer, &model, trace, options, err);
    writer->format = format;
    answer_model_finish(&model);
    return status;
}

enum mb_status format_write(struct format_writer *writer, struct answer_model *model,
                            const struct answer_trace *trace, const struct answer_options *options,
                            struct mb_error *err)
{
    if (writer->format->put_trace != NULL) {
        MB_TRY(writer->format->put_trace(writer, trace, options->thread, err));
        let_go(writer);
        return format_writer_check(writer, err);
    }
    if (writer->format->survey != NULL) {
        MB_TRY(survey_calls(writer, trace, options, err));
    }
    return write_pass(writer, model, trace, options, err);
}

/* ---- Walking ---- */

static uint64_t advance_time(struct format_writer *writer, int64_t units)
{
    uint64_t ns = (uint64_t)answer_ns(writer->clock, units);

    writer->last_ns = ns > writer->last_ns ? ns : writer->last_ns;
    return writer->last_ns;
}

static uint64_t start_of(struct format_writer *writer, const struct trace_item *item)
{
    return advance_time(writer, (int64_t)(item->start & INT64_MAX));
}

static uint64_t end_of(struct format_writer *writer, const struct trace_item *item)
{
    int64_t start = (int64_t)(item->start & INT64_MAX);
    bool fits = item->duration <= INT64_MAX - start;

    return advance_time(writer, fits ? start + item->duration : INT64_MAX);
}

/* Leave the calls that are open at this depth or deeper. */
static void leave_to(struct format_writer *writer, size_t depth, const struct format_walk *walk)
{
    for (size_t count = MB_VEC_COUNT(&writer->open); count > depth; count--) {
        const struct trace_item *item = writer->open.items[count - 1];
        walk->leave(writer, item, end_of(writer, item));
        format_drain(writer);
        MB_VEC_CUT(&writer->open, count - 1);
    }
}

void format_walk_calls(struct format_writer *writer, const struct trace_stack *stack,
                       const struct format_walk *walk)
{
    mb_buf_reset(&writer->open.buf);
    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        leave_to(writer, (size_t)item->depth, walk);
        MB_VEC_PUSH(&writer->open, item);
        if (writer->open.buf.failed) {
            writer->out.failed = true;
            return;
        }
        walk->enter(writer, item, start_of(writer, item));
        format_drain(writer);
    }
    leave_to(writer, 0, walk);
}

void format_put_field(struct mb_buf *out, const char *name, struct mb_text text)
{
    if (text.size > 0) {
        mb_buf_printf(out, ",\"%s\":", name);
        mb_buf_put_json_string(out, text);
    }
}
