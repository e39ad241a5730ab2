/* The calls of a ring: who listens gets them, and what was slow. */

#include "answer/building.h"

#include "abi/names.h"
#include "base/clock.h"
#include "base/vec.h"

#include <string.h>

/* Calls that a user waits for. */
struct roots {
    uint64_t count;
    int64_t longest_ns;
    MB_VEC(struct answer_slow) slow;
};

/* A thread whose calls come in. */
struct reading {
    struct answer_building *building;
    struct answer_thread *thread;
    struct trace_losses *losses; /* of the tree that these calls make; NULL: they make none */
    struct roots messages;
    struct roots outermost;
    bool has_started;
};

static enum mb_status add_slow(struct reading *r, const struct trace_item *items, size_t count,
                               struct roots *roots, struct mb_error *err)
{
    struct answer_building *b = r->building;
    struct trace_item *kept = MB_NEW_ARRAY(&b->model->arena, struct trace_item, TRACE_TRIMMED_MAX);
    const struct answer_clock *clock = &b->model->facts.clock;

    if (kept == NULL) {
        return mb_fail_memory(err);
    }
    double ns = (double)(clock->ns_per_unit >> 32) / (double)(clock->ns_per_unit & UINT32_MAX);
    size_t kept_count = trace_trim(items, count, (double)MB_NS_PER_MS / ns, kept);
    for (size_t i = 0; i < kept_count; i++) {
        kept[i].depth -= items[0].depth;
    }
    const struct answer_slow slow = {
        .thread = r->thread,
        .start_ns = (uint64_t)answer_ns(clock, (int64_t)(items[0].start & INT64_MAX)),
        .duration_ns = answer_ns(clock, items[0].duration),
        .id = items[0].id,
        .key = trace_key(kept, kept_count, items[0].duration),
        .is_open = items[0].is_open != 0,
        .items = kept,
        .item_count = kept_count,
    };
    MB_VEC_PUSH(&roots->slow, slow);
    return MB_OK;
}

static enum mb_status add_root(struct reading *r, const struct trace_stack *stack, size_t index,
                               struct roots *roots, struct mb_error *err)
{
    const struct answer_model *model = r->building->model;
    const struct trace_item *item = &stack->items[index];
    int64_t ns = answer_ns(&model->facts.clock, item->longest);

    roots->count++;
    roots->longest_ns = ns > roots->longest_ns ? ns : roots->longest_ns;
    return ns < model->facts.messages.threshold_ns
               ? MB_OK
               : add_slow(r, item, trace_subtree(stack->items, stack->count, index), roots, err);
}

/* True for outermost calls and calls of idle loops: *idle calls around the item are idle. */
static bool is_outermost(const struct reading *r, const struct trace_item *item, int32_t *idle)
{
    if (item->depth > *idle) {
        return false;
    }
    bool is_idle = answer_is_idle(r->thread, item->id);
    *idle = item->depth + (is_idle ? 1 : 0);
    return !is_idle;
}

/* Both kinds: only the end of the thread tells whether it has messages. */
static enum mb_status add_roots(struct reading *r, const struct trace_stack *stack,
                                struct mb_error *err)
{
    int32_t idle = 0;

    if (!r->has_started && stack->count > 0) {
        r->thread->time.ring_start_ns = (uint64_t)answer_ns(
            &r->building->model->facts.clock, (int64_t)(stack->items[0].start & INT64_MAX));
        r->has_started = true;
    }
    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        if (is_outermost(r, item, &idle)) {
            MB_TRY(add_root(r, stack, i, &r->outermost, err));
        }
        if (item->id == ABI_MESSAGE_ID) {
            MB_TRY(add_root(r, stack, i, &r->messages, err));
        }
    }
    return MB_OK;
}

/* Messages, or the outermost calls of a thread that has none. */
static void choose_roots(struct reading *r)
{
    struct answer_model *model = r->building->model;
    bool by_message = r->messages.count > 0;
    const struct roots *roots = by_message ? &r->messages : &r->outermost;

    model->facts.recording.has_messages = model->facts.recording.has_messages || by_message;
    model->facts.messages.root_count += roots->count;
    if (roots->longest_ns > model->facts.messages.longest_root_ns) {
        model->facts.messages.longest_root_ns = roots->longest_ns;
    }
    mb_buf_put(&model->slow.buf, roots->slow.items, roots->slow.buf.size);
    mb_buf_fail_with(&model->slow.buf, &roots->slow.buf);
}

/* The tree, and the time in its outermost calls, if the thread has no other. */
static enum mb_status add_to_tree(struct reading *r, const struct trace_stack *stack,
                                  struct mb_error *err)
{
    struct answer_building *b = r->building;
    struct answer_time *time = &r->thread->time;

    if (r->losses == NULL) {
        return MB_OK;
    }
    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        int64_t ns = answer_ns(&b->model->facts.clock, item->duration);
        time->busy_ns = trace_add(time->busy_ns, item->depth == 0 ? ns : 0);
    }
    return trace_profile_add(&b->profile, stack->items, stack->count, err);
}

static bool wants_calls(const struct answer_building *b)
{
    return b->listener != NULL && b->listener->wants_calls;
}

/* The listener first: what it wants apart is one item for the rest. */
static enum mb_status pass_portion(struct reading *r, struct trace_stack *stack,
                                   struct mb_error *err)
{
    struct answer_building *b = r->building;

    if (b->listener == NULL) {
        return MB_OK;
    }
    MB_TRY(b->listener->calls(b->listener->context, r->thread, stack, err));
    return wants_calls(b) ? trace_merge(&b->merging, stack, err) : MB_OK;
}

static enum mb_status add_portion(void *context, const struct trace_stack *stack,
                                  struct mb_error *err)
{
    struct reading *r = context;
    struct trace_stack merged = *stack; /* the items are the decoder's, which is done with them */

    MB_TRY(pass_portion(r, &merged, err));
    MB_TRY(add_to_tree(r, &merged, err));
    return add_roots(r, &merged, err);
}

/* A track of its own beside the thread's, of which it has the name; numbers of threads lie below
 * the bit that tells them apart. */
#define TRACK_BIT (1u << 22)

static const struct answer_thread *make_track(struct answer_building *b,
                                              const struct answer_thread *thread)
{
    struct answer_thread *track = MB_NEW_ARRAY(&b->model->arena, struct answer_thread, 1);
    struct mb_buf name = {0};

    mb_buf_printf(&name, "%.*s, sampled", (int)thread->name.size, thread->name.data);
    mb_buf_put_u1(&name, 0);
    if (track != NULL && !name.failed) {
        *track = (struct answer_thread){.name = answer_copy_text(b, (const char *)name.bytes),
                                        .id = thread->id | TRACK_BIT};
    }
    track = name.failed ? NULL : track;
    mb_buf_finish(&name);
    return track;
}

/* Samples are the thread's own calls only where none was recorded. */
static enum mb_status pass_samples(struct reading *r, bool is_beside, struct mb_error *err)
{
    struct answer_building *b = r->building;
    const struct answer_thread *track = r->thread;
    struct trace_stack stack;

    if (b->listener == NULL || !answer_sampled_is_drawn(b)) {
        return MB_OK;
    }
    if (is_beside) {
        track = make_track(b, r->thread);
        if (track == NULL) {
            return mb_fail_memory(err);
        }
        b->listener->thread(b->listener->context, track);
    }
    MB_TRY(trace_sampled_calls_make(&b->sampled_calls, &b->samples, b->sampled_index, b->end,
                                    &stack, err));
    if (!wants_calls(b)) {
        MB_TRY(trace_merge(&b->merging, &stack, err));
    }
    return b->listener->calls(b->listener->context, track, &stack, err);
}

static enum mb_status read_calls(struct reading *r, const struct abi_ring_view *view,
                                 struct mb_error *err)
{
    struct answer_building *b = r->building;
    struct answer_thread *thread = r->thread;
    const struct trace_run runs[] = {{view->runs[0], view->run_counts[0]},
                                     {view->runs[1], view->run_counts[1]}};
    uint64_t last = answer_trace_time(b->trace, answer_last_word(view));
    const struct trace_visitor visitor = {add_portion, r};
    const struct trace_options options = {
        .visitor = &visitor,
        .close_open = true,
        .has_kinds = abi_methodmap_find(&b->trace->names.own, ABI_MAX_ID) != NULL,
        .keep_apart = wants_calls(b),
        .end_time = (int64_t)((thread->is_live ? b->end : last) & INT64_MAX),
        .now = b->trace->file.header.now,
    };
    struct trace_stack stack;

    thread->time.ring_end_ns =
        (uint64_t)answer_ns(&b->model->facts.clock, (int64_t)(last & INT64_MAX));
    thread->time.ring_start_ns = thread->time.ring_end_ns;
    MB_TRY(trace_decode(&b->decoder, runs, 2, &options, &stack, err));
    if (r->losses != NULL) {
        answer_keep_tree(b->model, thread, &b->profile);
        *r->losses = stack.losses;
        thread->time.start_ns = thread->time.ring_start_ns;
        thread->time.end_ns = thread->time.ring_end_ns;
    }
    return pass_samples(r, r->has_started, err);
}

static void begin_calls(struct answer_building *b, const struct answer_thread *thread)
{
    if (b->listener != NULL) {
        b->listener->thread(b->listener->context, thread);
    }
    trace_profile_reset(&b->profile);
}

static enum mb_status end_calls(struct reading *reading, enum mb_status status)
{
    if (status == MB_OK) {
        choose_roots(reading);
    }
    mb_buf_finish(&reading->messages.slow.buf);
    mb_buf_finish(&reading->outermost.slow.buf);
    return status;
}

enum mb_status answer_add_calls(struct answer_building *b, struct answer_thread *thread,
                                const struct abi_ring_view *view, struct trace_losses *losses,
                                struct mb_error *err)
{
    struct reading reading = {.building = b, .thread = thread, .losses = losses};

    begin_calls(b, thread);
    if (b->options->wants_usual) {
        answer_add_exact_calls(b, view);
    }
    return end_calls(&reading, read_calls(&reading, view, err));
}

enum mb_status answer_add_sampled_calls(struct answer_building *b, struct answer_thread *thread,
                                        bool is_beside, struct mb_error *err)
{
    struct reading reading = {.building = b, .thread = thread};

    if (!is_beside) {
        begin_calls(b, thread);
    }
    return pass_samples(&reading, is_beside, err);
}

enum mb_status answer_add_costs(struct answer_building *b, struct answer_thread *thread,
                                struct mb_error *err)
{
    MB_TRY(answer_take_idle(b, thread, err));
    MB_TRY(answer_count_times(b, thread, err));
    trace_methods_reset(&b->methods);
    MB_TRY(trace_methods_add(&b->methods, thread->nodes, thread->node_count, err));
    MB_TRY(trace_methods_add(&b->model->methods, thread->nodes, thread->node_count, err));
    const struct trace_method *rows = trace_methods_rows(&b->methods, &thread->method_count);
    struct trace_method *copy =
        MB_NEW_ARRAY(&b->model->arena, struct trace_method, thread->method_count + 1);
    if (copy == NULL) {
        return mb_fail_memory(err);
    }
    if (thread->method_count > 0) {
        memcpy(copy, rows, thread->method_count * sizeof(*rows));
    }
    thread->methods = copy;
    for (size_t i = 0; i < thread->node_count; i++) {
        thread->calls += thread->nodes[i].calls;
    }
    return MB_OK;
}
