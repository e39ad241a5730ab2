/* Collapsed stacks, for flame graphs: "thread;caller;callee self-time-in-ns" a line. */

#include "export/export.h"

#include <inttypes.h>
#include <stdlib.h>

/* Each line repeats all callers: what is deeper counts for its caller. */
#define MAX_DEPTH 1000

/* A frame on the way to the current item. */
struct frame {
    size_t prefix_size; /* of the line up to and with its name */
    int64_t self;
};

/* Line and frames of the calls around the current place. */
struct folding {
    const struct export_report *report;
    struct mb_buf *out;
    struct mb_buf line;
    struct mb_buf frames;
};

static struct frame *frame_at(const struct folding *folding, size_t index)
{
    return (struct frame *)(void *)folding->frames.bytes + index;
}

static size_t frame_count(const struct folding *folding)
{
    return folding->frames.size / sizeof(struct frame);
}

static void put_name(struct folding *folding, struct mb_text thread_or_none, uint32_t id)
{
    size_t start = folding->line.size;

    if (thread_or_none.data != NULL) {
        mb_buf_put(&folding->line, thread_or_none.data, thread_or_none.size);
    } else {
        mb_buf_put_u1(&folding->line, ';');
        start++;
        export_put_name(&folding->line, &folding->report->names, id);
    }
    for (size_t i = start; i < folding->line.size; i++) { /* what the format gives a meaning */
        bool is_special = folding->line.bytes[i] == ';' || folding->line.bytes[i] == '\n';
        folding->line.bytes[i] = is_special ? ':' : folding->line.bytes[i];
    }
}

static void pop_frame(struct folding *folding)
{
    const struct frame *frame = frame_at(folding, frame_count(folding) - 1);
    int64_t ns = export_ns(folding->report, frame->self);

    if (ns > 0) {
        mb_buf_put(folding->out, folding->line.bytes, frame->prefix_size);
        mb_buf_printf(folding->out, " %" PRId64 "\n", ns);
    }
    folding->frames.size -= sizeof(struct frame);
    size_t left = frame_count(folding);
    folding->line.size = left > 0 ? frame_at(folding, left - 1)->prefix_size : 0;
}

static void push_item(struct folding *folding, struct mb_text thread, const struct trace_item *item)
{
    size_t count = frame_count(folding);

    if (count > 0) {
        struct frame *caller = frame_at(folding, count - 1);
        caller->self = trace_subtract(caller->self, item->duration);
    } else {
        put_name(folding, thread, 0);
    }
    put_name(folding, (struct mb_text){0}, item->id);
    const struct frame frame = {folding->line.size, item->duration};
    mb_buf_put(&folding->frames, &frame, sizeof(frame));
}

static void put_thread(const struct export_report *report, const struct export_thread *thread,
                       const struct trace_stack *stack, struct mb_buf *out)
{
    struct folding folding = {.report = report, .out = out};
    struct mb_text name = thread->name.size > 0 ? thread->name : MB_TEXT("thread");

    for (size_t i = 0; i < stack->count && !folding.line.failed && !folding.frames.failed; i++) {
        if (stack->items[i].depth >= MAX_DEPTH) {
            continue;
        }
        while (frame_count(&folding) > (size_t)stack->items[i].depth) {
            pop_frame(&folding);
        }
        push_item(&folding, name, &stack->items[i]);
    }
    out->failed = out->failed || folding.line.failed || folding.frames.failed;
    while (!out->failed && frame_count(&folding) > 0) {
        pop_frame(&folding);
    }
    mb_buf_finish(&folding.line);
    mb_buf_finish(&folding.frames);
}

const struct export_format export_folded = {
    .name = "folded",
    .thread = put_thread,
};
