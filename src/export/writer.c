#include "export/writer.h"

#include <stdlib.h>

#define PIECE_SIZE ((size_t)1 << 20) /* for the sink */

enum mb_status export_writer_init(struct export_writer *writer, const struct export_format *format,
                                  const struct export_sink *sink, struct mb_error *err)
{
    *writer = (struct export_writer){
        .format = format,
        .sink = sink != NULL ? *sink : (struct export_sink){0},
        .state = calloc(1, format->state_size + 1),
    };
    return writer->state != NULL ? MB_OK : mb_fail_memory(err);
}

void export_writer_finish(struct export_writer *writer)
{
    if (writer->state != NULL && writer->format->finish != NULL) {
        writer->format->finish(writer);
    }
    free(writer->state);
    writer->state = NULL;
    mb_buf_finish(&writer->open);
    mb_buf_finish(&writer->out);
}

static void let_go(struct export_writer *writer)
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

void export_drain(struct export_writer *writer)
{
    if (writer->out.size >= PIECE_SIZE) {
        let_go(writer);
    }
}

bool export_begin_file(struct export_writer *writer, const char *name)
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

void export_begin(struct export_writer *writer, const struct export_report *report)
{
    writer->report = report;
    if (writer->format->begin != NULL) {
        writer->format->begin(writer);
        export_drain(writer);
    }
}

void export_thread(struct export_writer *writer, const struct export_thread *thread)
{
    writer->last_ns = 0;
    if (writer->format->thread != NULL) {
        writer->format->thread(writer, thread);
        export_drain(writer);
    }
}

void export_calls(struct export_writer *writer, const struct export_thread *thread,
                  const struct trace_stack *stack)
{
    if (writer->format->calls != NULL) {
        writer->format->calls(writer, thread, stack);
        export_drain(writer);
    }
}

void export_end(struct export_writer *writer)
{
    if (writer->format->end != NULL) {
        writer->format->end(writer);
    }
    let_go(writer);
}

enum mb_status export_writer_check(const struct export_writer *writer, struct mb_error *err)
{
    if (writer->status != MB_OK && err != NULL) {
        *err = writer->error;
    }
    return writer->status != MB_OK ? writer->status : mb_buf_check(&writer->out, err);
}

/* ---- Walking ---- */

static uint64_t advance(struct export_writer *writer, int64_t units)
{
    uint64_t ns = (uint64_t)export_ns(writer->report, units);

    writer->last_ns = ns > writer->last_ns ? ns : writer->last_ns;
    return writer->last_ns;
}

static uint64_t start_of(struct export_writer *writer, const struct trace_item *item)
{
    return advance(writer, (int64_t)(item->start & INT64_MAX));
}

static uint64_t end_of(struct export_writer *writer, const struct trace_item *item)
{
    int64_t start = (int64_t)(item->start & INT64_MAX);
    bool fits = item->duration <= INT64_MAX - start;

    return advance(writer, fits ? start + item->duration : INT64_MAX);
}

/* Leave the calls that are open at this depth or deeper. open holds pointers to items. */
static void leave_to(struct export_writer *writer, size_t depth, const struct export_walk *walk)
{
    const struct trace_item *const *open = (const void *)writer->open.bytes;

    for (size_t count = writer->open.size / sizeof(*open); count > depth; count--) {
        const struct trace_item *item = open[count - 1];
        walk->leave(writer, item, end_of(writer, item));
        export_drain(writer);
        writer->open.size -= sizeof(item);
    }
}

void export_walk_calls(struct export_writer *writer, const struct trace_stack *stack,
                       const struct export_walk *walk)
{
    mb_buf_reset(&writer->open);
    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        leave_to(writer, (size_t)item->depth, walk);
        mb_buf_put(&writer->open, &item, sizeof(item));
        if (writer->open.failed) {
            writer->out.failed = true;
            return;
        }
        walk->enter(writer, item, start_of(writer, item));
        export_drain(writer);
    }
    leave_to(writer, 0, walk);
}
