/* Find the recorded calls in sampled stacks. Both change little from one sample to the next: only
 * what changed is looked at. */

#include "abi/names.h"
#include "trace/decoder.h"
#include "trace/sampled.h"

#define LATE_CALLS 2u /* innermost recorded calls that a stack may lack: its moment was another */

/* A recorded call that is open. */
struct call {
    uint32_t item;
    uint32_t outer;    /* frames around its own */
    uint32_t inner;    /* and with its own */
    uint32_t last;     /* what was seen in it last, from 1; 0: nothing yet */
    uint32_t own_node; /* of the last sample that was in it itself, or ABI_STACK_NO_NODE */
    bool is_seen;      /* what is around it */
    bool is_cut;       /* its frame is among those that the stack lacks */
    uint64_t end;
};

/* A place in the stack of a sample. */
struct place {
    uint32_t node;
    uint32_t older; /* place of the same method, nearest outside, from 1; 0 if none */
};

struct matching {
    struct trace_mixer *mixer;
    const struct trace_mix_source *source;
    struct trace_mix_losses *losses;
    const struct trace_frame *frames;
    uint32_t *heads;
    uint32_t *later;
    uint32_t *newest;
    uint32_t *recent;
    uint32_t *upcoming;
    struct call *calls; /* the first is the thread itself */
    uint32_t call_count;
    uint32_t matched; /* of them: found in the stack */
    struct place *stack;
    uint32_t depth;
    size_t next_item;
    uint64_t frames_left; /* that may come into view */
};

/* ---- Recorded calls ---- */

static void leave_calls(struct matching *m, uint32_t count)
{
    m->call_count = count;
    m->matched = m->matched < count ? m->matched : count;
}

static void enter_call(struct matching *m, uint32_t index)
{
    const struct trace_item *item = &m->source->items[index];

    if ((uint32_t)item->depth + 1 < m->call_count) {
        leave_calls(m, (uint32_t)item->depth + 1);
    }
    m->calls[m->call_count++] =
        (struct call){.item = index, .own_node = ABI_STACK_NO_NODE, .end = trace_item_end(item)};
    m->upcoming[item->id] = m->later[index];
    m->recent[item->id] = index + 1;
}

static void advance_to(struct matching *m, uint64_t time)
{
    while (m->next_item < m->source->item_count && m->source->items[m->next_item].start <= time) {
        enter_call(m, (uint32_t)m->next_item++);
    }
    while (m->call_count > 1 && m->calls[m->call_count - 1].end <= time) {
        leave_calls(m, m->call_count - 1);
    }
}

/* ---- Stacks ---- */

/* Frames that two stacks share. */
static uint32_t count_common(const struct matching *m, uint32_t node)
{
    while (node != ABI_STACK_NO_NODE &&
           (m->frames[node].depth > m->depth || m->stack[m->frames[node].depth - 1].node != node)) {
        node = m->frames[node].parent;
    }
    return node != ABI_STACK_NO_NODE ? m->frames[node].depth : 0;
}

static void cut_stack(struct matching *m, uint32_t depth)
{
    while (m->depth > depth) {
        const struct place *place = &m->stack[--m->depth];
        m->newest[m->frames[place->node].id] = place->older;
    }
    while (m->matched > 1 && m->calls[m->matched - 1].inner > depth) {
        m->matched--;
    }
}

/* False if too many frames came into view. */
static bool change_stack(struct matching *m, uint32_t node)
{
    uint32_t depth = node != ABI_STACK_NO_NODE ? m->frames[node].depth : 0;
    uint32_t common = count_common(m, node);

    if (depth - common > m->frames_left) {
        return false;
    }
    m->frames_left -= depth - common;
    cut_stack(m, common);
    m->matched = common > 0 ? m->matched : 1;
    for (uint32_t d = depth; d > common; d--) {
        m->stack[d - 1].node = node;
        node = m->frames[node].parent;
    }
    for (; m->depth < depth; m->depth++) {
        struct place *place = &m->stack[m->depth];
        uint32_t *newest = &m->newest[m->frames[place->node].id];
        place->older = *newest;
        *newest = m->depth + 1;
    }
    return true;
}

/* ---- Calls in stacks ---- */

/* Outermost frame of the method after the first `behind` ones; counted from 1, 0 if absent. */
static uint32_t find_frame(const struct matching *m, uint32_t id, uint32_t behind)
{
    uint32_t found = 0;

    for (uint32_t at = m->newest[id]; at > behind; at = m->stack[at - 1].older) {
        found = at;
    }
    return found;
}

/* A message whose frame is not known begins where the stack between messages ends. */
static void match_message(const struct matching *m, struct call *call)
{
    uint32_t around = call[-1].inner;
    uint32_t common =
        call[-1].own_node != ABI_STACK_NO_NODE ? count_common(m, call[-1].own_node) : 0;

    call->outer = common > around ? common : around;
    call->inner = call->outer;
}

/* The outermost frames of the stack are missing, and no call is found yet. */
static bool is_cut(const struct matching *m, const struct call *call)
{
    const struct abi_stack_node *nodes = m->source->samples->view->nodes;

    return call[-1].inner == 0 && m->depth > 0 &&
           (nodes[m->stack[0].node].flags & ABI_STACK_CUT) != 0;
}

static bool match_call(const struct matching *m, struct call *call)
{
    uint32_t id = m->source->items[call->item].id;
    uint32_t method = id == ABI_MESSAGE_ID ? m->source->message_method : id;
    uint32_t found = method != 0 ? find_frame(m, method, call[-1].inner) : 0;

    call->is_cut = found == 0 && is_cut(m, call);
    if (found > 0) {
        call->outer = found - 1;
        call->inner = found;
    } else if (call->is_cut) {
        call->outer = 0;
        call->inner = 0;
    } else if (id == ABI_MESSAGE_ID) {
        match_message(m, call);
    } else {
        return false;
    }
    return true;
}

static void match_calls(struct matching *m)
{
    while (m->matched < m->call_count && match_call(m, &m->calls[m->matched])) {
        m->matched++;
    }
    m->losses->unaligned += m->call_count - m->matched > LATE_CALLS;
}

/* ---- What is seen ---- */

static struct trace_seen *seen_at(const struct matching *m, uint32_t number)
{
    return &m->mixer->seen.items[number - 1];
}

static bool goes_on(const struct trace_seen *last, const struct trace_seen *seen)
{
    return last->count == seen->count && last->node == seen->node &&
           last->interval == seen->interval && seen->from >= last->until &&
           seen->from - last->until <= (uint64_t)TRACE_GAP * seen->interval;
}

static void put_seen(struct matching *m, struct call *call, const struct trace_seen *seen)
{
    struct trace_seen *last = call->last > 0 ? seen_at(m, call->last) : NULL;

    if (last != NULL && goes_on(last, seen)) {
        last->until = seen->until;
        return;
    }
    MB_VEC_PUSH(&m->mixer->seen, *seen);
    if (!m->mixer->seen.buf.failed) {
        uint32_t number = (uint32_t)MB_VEC_COUNT(&m->mixer->seen);
        *(call->last > 0 ? &seen_at(m, call->last)->next : &m->heads[call->item]) = number;
        call->last = number;
    }
}

/* The frames around a recorded call were there as long as it was. */
static void see_around(struct matching *m, struct call *call, const struct trace_sample *sample)
{
    uint32_t base = call[-1].inner;
    const struct trace_seen seen = {
        .node = call->outer > base ? m->stack[call->outer - 1].node : ABI_STACK_NO_NODE,
        .count = call->outer - base,
        .from = m->source->items[call->item].start,
        .until = call->end,
        .interval = sample->interval,
    };

    if (!call->is_cut && !call[-1].is_cut) {
        call->is_seen = true;
        put_seen(m, call - 1, &seen);
    }
}

/* The method is being recorded at the moment: a frame of it without a call is one that is about to
 * begin, or has just ended. */
static bool is_recorded_near(const struct matching *m, uint32_t id, const struct trace_sample *s)
{
    const struct trace_item *items = m->source->items;
    uint64_t half = s->interval / 2;
    uint64_t near = half > m->source->resolution ? half : m->source->resolution;
    uint32_t recent = m->recent[id];
    uint32_t upcoming = m->upcoming[id];
    uint64_t end = recent > 0 ? trace_item_end(&items[recent - 1]) : 0;

    return (recent > 0 && end <= s->time && s->time - end < near) ||
           (upcoming > 0 && items[upcoming - 1].start - s->time < near);
}

/* What came next changed the stack: it held until then at most. */
static uint64_t find_until(const struct matching *m, const struct trace_sample *sample)
{
    uint64_t until = sample->until;
    const struct call *call = &m->calls[m->call_count - 1];

    if (m->next_item < m->source->item_count && m->source->items[m->next_item].start < until) {
        until = m->source->items[m->next_item].start;
    }
    return m->call_count > 1 && call->end < until ? call->end : until;
}

/* The frames inside the innermost recorded call. */
static void see_inside(struct matching *m, const struct trace_sample *sample)
{
    struct call *call = &m->calls[m->call_count - 1];
    uint32_t base = call->inner;
    uint32_t depth = m->depth;

    while (depth > base && is_recorded_near(m, m->frames[m->stack[depth - 1].node].id, sample)) {
        depth--;
    }
    const struct trace_seen seen = {
        .node = depth > base ? m->stack[depth - 1].node : ABI_STACK_NO_NODE,
        .count = depth - base,
        .from = sample->time,
        .until = find_until(m, sample),
        .interval = sample->interval,
    };
    call->own_node = depth > 0 ? m->stack[depth - 1].node : ABI_STACK_NO_NODE;
    put_seen(m, call, &seen);
}

static bool take_sample(struct matching *m, const struct trace_sample *sample)
{
    advance_to(m, sample->time);
    if (!change_stack(m, sample->node)) {
        return false;
    }
    match_calls(m);
    for (uint32_t i = m->matched; i > 1 && !m->calls[i - 1].is_seen; i--) {
        see_around(m, &m->calls[i - 1], sample);
    }
    if (m->matched == m->call_count) {
        see_inside(m, sample);
    }
    return true;
}

/* ---- All ---- */

/* So that the next call of a method is at hand. */
static void chain_items(struct matching *m)
{
    struct trace_mixer *mixer = m->mixer;
    int32_t deepest = 0;

    for (size_t i = m->source->item_count; i > 0; i--) {
        const struct trace_item *item = &m->source->items[i - 1];
        uint32_t *upcoming = &m->upcoming[item->id];
        if (*upcoming == 0) {
            MB_VEC_PUSH(&mixer->ids, item->id);
        }
        m->later[i - 1] = *upcoming;
        *upcoming = (uint32_t)i;
        deepest = item->depth > deepest ? item->depth : deepest;
    }
    mixer->deepest = (size_t)deepest;
}

/* The tables of ids are as empty as before. */
static void forget_ids(struct matching *m)
{
    const union mb_numbers *ids = &m->mixer->ids;

    cut_stack(m, 0);
    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        m->upcoming[ids->items[i]] = 0;
        m->recent[ids->items[i]] = 0;
    }
}

static size_t find_deepest(const struct matching *m)
{
    const struct trace_mix_source *source = m->source;
    const struct trace_sampled_thread *thread = &source->samples->threads.items[source->thread];
    const uint32_t *order = source->samples->order.items;
    uint32_t deepest = 0;

    for (size_t i = 0; i < thread->node_count; i++) {
        uint32_t depth = m->frames[order[thread->first_node + i]].depth;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static bool take_memory(struct matching *m)
{
    struct trace_mixer *mixer = m->mixer;
    size_t count = m->source->item_count;

    mb_buf_reset(&mixer->seen.buf);
    mb_buf_reset(&mixer->ids.buf);
    m->heads = mb_buf_take(&mixer->heads.buf, count + 1, sizeof(*m->heads));
    m->later = mb_buf_take(&mixer->later, count + 1, sizeof(*m->later));
    m->stack = mb_buf_take(&mixer->frames.buf, find_deepest(m) + 1, sizeof(*m->stack));
    m->newest = trace_id_table(&mixer->newest);
    m->recent = trace_id_table(&mixer->recent);
    m->upcoming = trace_id_table(&mixer->upcoming);
    return m->heads != NULL && m->later != NULL && m->stack != NULL && m->newest != NULL &&
           m->recent != NULL && m->upcoming != NULL;
}

/* False without memory. */
static bool match_all(struct matching *m)
{
    size_t count = 0;
    size_t taken = 0;
    const struct trace_sample *samples =
        trace_samples_of(m->source->samples, m->source->thread, &count);

    memset(m->heads, 0, (m->source->item_count + 1) * sizeof(*m->heads));
    chain_items(m);
    m->calls = mb_buf_take(&m->mixer->calls, m->mixer->deepest + 2, sizeof(*m->calls));
    if (m->calls != NULL) {
        m->calls[0] = (struct call){.item = (uint32_t)m->source->item_count,
                                    .own_node = ABI_STACK_NO_NODE,
                                    .is_seen = true,
                                    .end = UINT64_MAX};
        while (taken < count && take_sample(m, &samples[taken])) {
            taken++;
        }
        m->losses->left_out += count - taken;
    }
    forget_ids(m);
    return m->calls != NULL;
}

/* What is not in ids stays in the tables of ids, which are then of no use. */
static bool keep_tables(struct trace_mixer *mixer)
{
    if (mixer->ids.buf.failed) {
        mb_buf_finish(&mixer->upcoming.buf);
        mb_buf_finish(&mixer->recent.buf);
    }
    return !mixer->ids.buf.failed && !mixer->seen.buf.failed;
}

enum mb_status trace_match_samples(struct trace_mixer *mixer, const struct trace_mix_source *source,
                                   struct trace_mix_losses *losses, struct mb_error *err)
{
    struct matching m = {
        .mixer = mixer,
        .source = source,
        .losses = losses,
        .frames = source->samples->frames.items,
        .call_count = 1,
        .matched = 1,
        .frames_left = TRACE_MIXED_FRAMES,
    };

    return take_memory(&m) && match_all(&m) && keep_tables(mixer) ? MB_OK : mb_fail_memory(err);
}
