/* Put sampled calls between recorded ones: a sweep in the order of time over both. */

#include "base/number.h"
#include "trace/decoder.h"
#include "trace/sampled.h"

#define NEVER UINT64_MAX

/* A recorded call that is open, or the thread itself. Of what is inside, the frames that are open,
 * and when they change next. */
struct level {
    uint64_t end;
    uint64_t clock; /* all before is done */
    uint64_t until; /* what is open is known to have been */
    uint64_t change;
    uint32_t next; /* what it changes to is number next of what was seen; 0: nothing */
    uint32_t interval;
    uint32_t node; /* innermost open frame */
    uint32_t base;
    uint32_t count; /* open frames */
    bool is_known;  /* until says something */
    bool is_ending; /* the change is to nothing */
    bool is_open;
};

struct mixing {
    struct trace_mixer *mixer;
    const struct trace_mix_source *source;
    struct trace_mix_losses *losses;
    const struct trace_frame *frames;
    const struct trace_seen *seen;
    const uint32_t *heads;
    struct level *levels;
    size_t level_count;
    uint32_t open_count; /* of open items: their numbers are in mixer->frames */
    uint64_t frames_left;
};

/* ---- When frames change ---- */

static void plan_end(struct level *level, uint64_t until)
{
    level->change = until;
    level->is_ending = true;
}

/* No sample was taken between what is open and what comes: half an interval of each is left. */
static bool is_gap(const struct level *level, const struct trace_seen *next)
{
    uint64_t interval = mb_max_u64(level->interval, next->interval);

    return next->from > level->until && next->from - level->until > TRACE_GAP * interval;
}

static void plan_change(struct mixing *m, struct level *level)
{
    const struct trace_seen *next = level->next > 0 ? &m->seen[level->next - 1] : NULL;
    uint64_t half = level->interval / 2;

    level->is_ending = false;
    level->change = NEVER;
    if (next == NULL) {
        if (level->count > 0 && level->end > level->until && level->end - level->until > half) {
            plan_end(level, level->until + half);
        }
    } else if (!level->is_known) {
        half = next->interval / 2;
        level->change = next->from - mb_min_u64(half, next->from);
    } else if (is_gap(level, next)) {
        m->losses->gaps++;
        plan_end(level, level->until + half);
    } else {
        uint64_t from = mb_max_u64(next->from, level->until);
        level->change = level->until + (from - level->until + 1) / 2;
    }
}

/* ---- Items ---- */

static struct trace_item *item_at(const struct mixing *m, uint32_t index)
{
    return &m->mixer->items.items[index];
}

/* Without memory nothing is put or closed any more. */
static bool has_failed(const struct mixing *m)
{
    return m->mixer->items.buf.failed || m->mixer->frames.buf.failed;
}

static void put_item(struct mixing *m, struct trace_item item)
{
    uint32_t index = (uint32_t)MB_VEC_COUNT(&m->mixer->items);

    if (has_failed(m)) {
        return;
    }
    item.depth = (int32_t)m->open_count;
    MB_VEC_PUSH(&m->mixer->items, item);
    MB_VEC_CUT(&m->mixer->frames, m->open_count);
    MB_VEC_PUSH(&m->mixer->frames, index);
    m->open_count++;
}

static void close_frames(struct mixing *m, struct level *level, uint32_t kept, uint64_t time,
                         bool is_open)
{
    for (; level->count > kept && !has_failed(m); level->count--) {
        struct trace_item *item = item_at(m, m->mixer->frames.items[--m->open_count]);
        item->duration = time > item->start ? (int64_t)(time - item->start) : 0;
        item->longest = item->duration;
        item->is_open = is_open;
    }
    level->count = kept;
}

/* The frames of seen above the open ones: room first, then ids from inside to outside, then items
 * from outside to inside. */
static void open_frames(struct mixing *m, struct level *level, const struct trace_seen *seen,
                        uint64_t time)
{
    uint32_t added = seen->count - level->count;
    uint32_t first = m->open_count;
    uint32_t node = seen->node;

    if (has_failed(m)) {
        return;
    }
    MB_VEC_CUT(&m->mixer->frames, first);
    uint32_t *ids = MB_VEC_EXTEND(&m->mixer->frames, added);
    for (uint32_t i = added; ids != NULL && i > 0; i--) {
        ids[i - 1] = m->frames[node].id;
        node = m->frames[node].parent;
    }
    for (uint32_t i = 0; ids != NULL && i < added; i++) {
        put_item(m, (struct trace_item){
                        .start = time,
                        .id = m->mixer->frames.items[first + i],
                        .count = 1,
                        .is_sampled = 1,
                    });
        MB_VEC_CUT(&m->mixer->frames, first + added);
    }
    level->count = seen->count;
}

/* ---- Changes ---- */

static uint32_t base_of(const struct mixing *m, const struct trace_seen *seen)
{
    return seen->count > 0 ? m->frames[seen->node].depth - seen->count : 0;
}

/* Frames that go on: the same calls from the same places. */
static uint32_t count_common(const struct mixing *m, const struct level *level,
                             const struct trace_seen *seen)
{
    uint32_t a = level->node;
    uint32_t b = seen->node;

    if (level->count == 0 || seen->count == 0 || level->base != base_of(m, seen)) {
        return 0;
    }
    while (a != b && m->frames[a].depth > level->base && m->frames[b].depth > level->base) {
        uint32_t depth = m->frames[a].depth;
        a = m->frames[b].depth > depth ? a : m->frames[a].parent;
        b = m->frames[b].depth < depth ? b : m->frames[b].parent;
        if (a == ABI_STACK_NO_NODE || b == ABI_STACK_NO_NODE) {
            return 0;
        }
    }
    return a == b && m->frames[a].depth > level->base ? m->frames[a].depth - level->base : 0;
}

static void change_frames(struct mixing *m, struct level *level, uint64_t time)
{
    const struct trace_seen *seen = &m->seen[level->next - 1];
    uint32_t common = count_common(m, level, seen);

    close_frames(m, level, common, time, false);
    if (seen->count - common <= m->frames_left) {
        m->frames_left -= seen->count - common;
        open_frames(m, level, seen, time);
    } else {
        close_frames(m, level, 0, time, false);
        m->losses->left_out++;
    }
    level->node = seen->node;
    level->base = base_of(m, seen);
    level->until = seen->until;
    level->interval = seen->interval;
    level->is_known = true;
    level->next = seen->next;
}

/* The change that is due, at a time within the call. */
static void make_change(struct mixing *m, struct level *level, uint64_t time)
{
    level->clock = mb_max_u64(level->clock, mb_min_u64(time, level->end));
    if (level->is_ending) {
        close_frames(m, level, 0, level->clock, false);
        level->is_known = false;
    } else {
        change_frames(m, level, level->clock);
    }
    plan_change(m, level);
}

static void change_until(struct mixing *m, struct level *level, uint64_t time)
{
    while (level->change <= time && level->change != NEVER) {
        make_change(m, level, level->change);
    }
}

/* Nothing changes around a call while it lasts: what would, does where it begins or where it ends.
 */
static void change_around(struct mixing *m, struct level *level, uint64_t start, uint64_t end)
{
    change_until(m, level, start);
    while (level->change < end) {
        if (end - level->change <= level->change - start) {
            level->change = end;
            return;
        }
        make_change(m, level, start);
    }
}

/* ---- Recorded calls ---- */

static void open_level(struct mixing *m, uint32_t index, uint64_t start, uint64_t end)
{
    struct level *level = &m->levels[m->level_count++];

    *level = (struct level){.end = end, .clock = start, .next = m->heads[index]};
    plan_change(m, level);
}

static void close_level(struct mixing *m)
{
    struct level *level = &m->levels[m->level_count - 1];

    change_until(m, level, level->end);
    close_frames(m, level, 0, level->end, level->is_open);
    m->level_count--;
    if (m->level_count > 0) {
        m->open_count--; /* its own item */
        level[-1].clock = mb_max_u64(level[-1].clock, level->end);
    }
}

static void mix_item(struct mixing *m, uint32_t index)
{
    const struct trace_item *item = &m->source->items[index];

    while (m->level_count > (size_t)item->depth + 1) {
        close_level(m);
    }
    change_around(m, &m->levels[m->level_count - 1], item->start, trace_item_end(item));
    put_item(m, *item);
    open_level(m, index, item->start, trace_item_end(item));
    m->levels[m->level_count - 1].is_open = item->is_open;
}

/* What is seen last is still open if nothing tells otherwise. */
static void mix_all(struct mixing *m)
{
    size_t count = 0;
    const struct trace_sample *samples =
        trace_samples_of(m->source->samples, m->source->thread, &count);
    uint64_t last = count > 0 ? samples[count - 1].until : 0;

    open_level(m, (uint32_t)m->source->item_count, 0, mb_max_u64(last, m->source->end));
    m->levels[0].is_open = true;
    for (size_t i = 0; i < m->source->item_count && !has_failed(m); i++) {
        mix_item(m, (uint32_t)i);
    }
    while (m->level_count > 0 && !has_failed(m)) {
        close_level(m);
    }
}

static bool take_memory(struct mixing *m)
{
    struct trace_mixer *mixer = m->mixer;

    mb_buf_reset(&mixer->items.buf);
    mb_buf_reset(&mixer->frames.buf);
    m->levels = mb_buf_take(&mixer->calls, mixer->deepest + 2, sizeof(*m->levels));
    return m->levels != NULL && mb_buf_reserve(&mixer->items.buf, (m->source->item_count + 1) *
                                                                      sizeof(struct trace_item));
}

enum mb_status trace_mix(struct trace_mixer *mixer, const struct trace_mix_source *source,
                         struct trace_stack *stack, struct trace_mix_losses *losses,
                         struct mb_error *err)
{
    *losses = (struct trace_mix_losses){0};
    *stack = (struct trace_stack){0};
    MB_TRY(trace_match_samples(mixer, source, losses, err));
    struct mixing m = {
        .mixer = mixer,
        .source = source,
        .losses = losses,
        .frames = source->samples->frames.items,
        .seen = mixer->seen.items,
        .heads = mixer->heads.items,
        .frames_left = TRACE_MIXED_FRAMES,
    };
    if (!take_memory(&m)) {
        return mb_fail_memory(err);
    }
    mix_all(&m);
    MB_TRY(mb_buf_check(&mixer->frames.buf, err));
    MB_TRY(mb_buf_check(&mixer->items.buf, err));
    stack->items = mixer->items.items;
    stack->count = MB_VEC_COUNT(&mixer->items);
    return MB_OK;
}

void trace_mixer_finish(struct trace_mixer *mixer)
{
    mb_buf_finish(&mixer->items.buf);
    mb_buf_finish(&mixer->seen.buf);
    mb_buf_finish(&mixer->heads.buf);
    mb_buf_finish(&mixer->calls);
    mb_buf_finish(&mixer->frames.buf);
    mb_buf_finish(&mixer->later);
    mb_buf_finish(&mixer->newest.buf);
    mb_buf_finish(&mixer->recent.buf);
    mb_buf_finish(&mixer->upcoming.buf);
    mb_buf_finish(&mixer->ids.buf);
}
