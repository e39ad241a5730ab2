#include "formats/html_calls.h"

void format_html_calls_thread(struct format_html_calls *all, const struct answer_thread *thread)
{
    MB_VEC_PUSH(&all->threads, (struct format_html_thread){.thread = thread});
    all->failed = all->failed || all->threads.buf.failed;
}

static uint64_t positive_ns(const struct answer_clock *clock, int64_t units)
{
    return units > 0 ? (uint64_t)answer_ns(clock, units) : 0;
}

/* A list of items may start below an outermost call only where a trace is damaged. */
static struct format_html_item make_item(const struct answer_clock *clock,
                                         const struct trace_item *from)
{
    uint32_t depth = from->depth > 0 ? (uint32_t)from->depth : 0;

    return (struct format_html_item){
        .start_ns = positive_ns(clock, (int64_t)(from->start & INT64_MAX)),
        .duration_ns = positive_ns(clock, from->duration),
        .id = from->id,
        .depth_flags = depth << 2 | (from->is_sampled ? 2u : 0) | (from->is_open ? 1u : 0),
    };
}

void format_html_calls_add(struct format_html_calls *all, const struct answer_clock *clock,
                           const struct trace_stack *stack)
{
    size_t count = MB_VEC_COUNT(&all->threads);

    if (all->failed || count == 0) {
        return;
    }
    union format_html_items *calls = &all->threads.items[count - 1].calls;
    for (size_t i = 0; i < stack->count; i++) {
        MB_VEC_PUSH(calls, make_item(clock, &stack->items[i]));
    }
    all->failed = calls->buf.failed;
}

void format_html_calls_finish(struct format_html_calls *all)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&all->threads); i++) {
        mb_buf_finish(&all->threads.items[i].calls.buf);
    }
    mb_buf_finish(&all->threads.buf);
}
