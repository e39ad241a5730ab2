/* The samples of a thread as calls: what two neighbours have in common went on between them. */

#include "base/number.h"
#include "trace/samples.h"

struct sweep {
    struct trace_sampled_calls *calls;
    const struct trace_frame *frames;
    uint32_t node;     /* innermost open frame, or ABI_STACK_NO_NODE */
    uint32_t interval; /* of the sample that it is of */
    uint64_t until;    /* it is known to have been */
    uint64_t frames_left;
    bool is_known; /* there was a sample */
};

static bool has_failed(const struct sweep *s)
{
    return s->calls->items.buf.failed || s->calls->open.buf.failed;
}

static uint32_t count_frames(const struct sweep *s, uint32_t node)
{
    return node != ABI_STACK_NO_NODE ? s->frames[node].depth : 0;
}

/* Frames that go on: the same calls from the same places. */
static uint32_t count_common(const struct sweep *s, uint32_t node)
{
    uint32_t a = s->node;
    uint32_t b = node;

    while (a != b && a != ABI_STACK_NO_NODE && b != ABI_STACK_NO_NODE) {
        uint32_t depth = s->frames[a].depth;
        uint32_t other = s->frames[b].depth;
        a = other > depth ? a : s->frames[a].parent;
        b = other < depth ? b : s->frames[b].parent;
    }
    return a == b ? count_frames(s, a) : 0;
}

static void close_frames(struct sweep *s, uint32_t kept, uint64_t time, bool is_open)
{
    struct trace_sampled_calls *calls = s->calls;

    for (size_t i = has_failed(s) ? 0 : MB_VEC_COUNT(&calls->open); i > kept; i--) {
        struct trace_item *item = &calls->items.items[calls->open.items[i - 1]];
        item->duration = time > item->start ? (int64_t)(time - item->start) : 0;
        item->longest = item->duration;
        item->is_open = is_open;
    }
    MB_VEC_CUT(&calls->open, kept);
}

/* Those of the node above the open ones, from inside to outside. */
static void open_frames(struct sweep *s, uint32_t node, uint64_t time)
{
    struct trace_sampled_calls *calls = s->calls;
    uint32_t kept = (uint32_t)MB_VEC_COUNT(&calls->open);
    uint32_t count = count_frames(s, node) - kept;
    uint32_t first = (uint32_t)MB_VEC_COUNT(&calls->items);
    struct trace_item *items = MB_VEC_EXTEND(&calls->items, count);
    uint32_t *open = MB_VEC_EXTEND(&calls->open, count);

    for (uint32_t i = has_failed(s) ? 0 : count; i > 0; i--) {
        items[i - 1] = (struct trace_item){.start = time,
                                           .id = s->frames[node].id,
                                           .depth = (int32_t)(kept + i - 1),
                                           .count = 1,
                                           .is_sampled = 1};
        open[i - 1] = first + i - 1;
        node = s->frames[node].parent;
    }
}

static void change_frames(struct sweep *s, uint32_t node, uint64_t time)
{
    uint32_t common = count_common(s, node);
    uint32_t added = count_frames(s, node) - common;
    bool has_room = added <= s->frames_left;

    close_frames(s, has_room ? common : 0, time, false);
    s->node = has_room ? node : ABI_STACK_NO_NODE;
    if (has_room) {
        s->frames_left -= added;
        open_frames(s, node, time);
    }
}

/* No sample was taken between what is open and what comes. */
static bool is_gap(const struct sweep *s, const struct trace_sample *sample)
{
    uint64_t interval = mb_max_u64(s->interval, sample->interval);

    return sample->time > s->until && sample->time - s->until > TRACE_GAP * interval;
}

static void end_at_half(struct sweep *s)
{
    close_frames(s, 0, s->until + s->interval / 2, false);
    s->node = ABI_STACK_NO_NODE;
    s->is_known = false;
}

static void take_sample(struct sweep *s, const struct trace_sample *sample)
{
    uint64_t from = mb_max_u64(sample->time, s->until);

    if (s->is_known && is_gap(s, sample)) {
        end_at_half(s);
    }
    change_frames(s, sample->node,
                  s->is_known ? s->until + (from - s->until + 1) / 2
                              : sample->time - mb_min_u64(sample->interval / 2, sample->time));
    s->until = sample->until;
    s->interval = sample->interval;
    s->is_known = true;
}

/* What is seen last is still open if nothing tells otherwise. */
static void end_sweep(struct sweep *s, uint64_t end)
{
    if (end > s->until && end - s->until > s->interval / 2) {
        end_at_half(s);
    }
    close_frames(s, 0, mb_max_u64(end, s->until), true);
}

enum mb_status trace_sampled_calls_make(struct trace_sampled_calls *calls,
                                        const struct trace_samples *samples, size_t thread,
                                        uint64_t end, struct trace_stack *stack,
                                        struct mb_error *err)
{
    size_t count = 0;
    const struct trace_sample *rows = trace_samples_of(samples, thread, &count);
    struct sweep s = {.calls = calls,
                      .frames = samples->frames.items,
                      .node = ABI_STACK_NO_NODE,
                      .frames_left = TRACE_SAMPLED_FRAMES};

    mb_buf_reset(&calls->items.buf);
    mb_buf_reset(&calls->open.buf);
    for (size_t i = 0; i < count && !has_failed(&s); i++) {
        take_sample(&s, &rows[i]);
    }
    end_sweep(&s, end);
    MB_TRY(mb_buf_check(&calls->open.buf, err));
    MB_TRY(mb_buf_check(&calls->items.buf, err));
    *stack =
        (struct trace_stack){.items = calls->items.items, .count = MB_VEC_COUNT(&calls->items)};
    return MB_OK;
}

void trace_sampled_calls_finish(struct trace_sampled_calls *calls)
{
    mb_buf_finish(&calls->items.buf);
    mb_buf_finish(&calls->open.buf);
}
