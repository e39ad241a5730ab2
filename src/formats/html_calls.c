#include "formats/html_calls.h"

void format_html_calls_thread(struct format_html_calls *all, const struct answer_thread *thread)
{
    const struct format_html_thread row = {.thread = thread};

    mb_buf_put(&all->threads, &row, sizeof(row));
    all->failed = all->failed || all->threads.failed;
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
    struct format_html_thread *rows = (void *)all->threads.bytes;

    if (all->failed || all->threads.size == 0) {
        return;
    }
    struct mb_buf *calls = &rows[all->threads.size / sizeof(*rows) - 1].calls;
    for (size_t i = 0; i < stack->count; i++) {
        const struct format_html_item item = make_item(clock, &stack->items[i]);
        mb_buf_put(calls, &item, sizeof(item));
    }
    all->failed = calls->failed;
}

void format_html_calls_finish(struct format_html_calls *all)
{
    struct format_html_thread *rows = (void *)all->threads.bytes;

    for (size_t i = 0; i < all->threads.size / sizeof(*rows); i++) {
        mb_buf_finish(&rows[i].calls);
    }
    mb_buf_finish(&all->threads);
}
