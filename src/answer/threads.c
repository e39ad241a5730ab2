/* Threads: the rows of the profile with the rings they had last, then rings it has nothing of. */

#include "answer/building.h"

#include "abi/names.h"

#include <inttypes.h>
#include <string.h>

#define NO_ROW SIZE_MAX

/* The threads come in. Room is there for all, so that slow messages can point to theirs. */
struct gathering {
    struct answer_building *building;
    struct answer_thread *threads;
    size_t count;
    size_t *rows; /* [ring] = its row in the profile, or NO_ROW */
};

static const struct abi_profile_thread *row_at(const struct answer_building *b, size_t row)
{
    return &b->model->sections.source.threads[row];
}

static int64_t to_ns(const struct answer_building *b, uint64_t units)
{
    return answer_ns(&b->model->facts.clock, (int64_t)(units & INT64_MAX));
}

/* ---- From the profile ---- */

/* The name in the file may have no end. */
static void end_name(char name[ABI_TRACE_NAME_SIZE], const struct abi_profile_thread *row)
{
    memcpy(name, row->name, ABI_TRACE_NAME_SIZE);
    name[ABI_TRACE_NAME_SIZE - 1] = '\0';
}

static void take_messages(struct answer_model *model, const struct trace_node *node)
{
    struct answer_messages *messages = &model->facts.messages;
    int64_t longest_ns = answer_ns(&model->facts.clock, node->longest);

    messages->count += node->calls;
    messages->longest_ns = longest_ns > messages->longest_ns ? longest_ns : messages->longest_ns;
    model->facts.recording.has_messages = true;
}

/* Calls that still run last until the recording ends, however long ago their last record was. */
static uint64_t find_end(const struct answer_building *b, const struct answer_thread *thread,
                         bool is_running)
{
    uint64_t end_ns = (uint64_t)to_ns(b, b->model->sections.source.end);

    return is_running && thread->is_live && end_ns > thread->time.end_ns ? end_ns
                                                                         : thread->time.end_ns;
}

/* Its tree, and what follows from that. */
static void take_tree(struct answer_building *b, struct answer_thread *thread, size_t row,
                      struct answer_losses *losses)
{
    const struct answer_sections *sections = &b->model->sections;
    const struct answer_clock *clock = &b->model->facts.clock;
    int64_t busy = 0;

    thread->nodes = trace_trees_of(&sections->trees, row, &thread->node_count);
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        busy = trace_add(busy, node->parent == TRACE_NO_NODE ? node->total : 0);
        losses->read.open_calls += node->is_open;
        if (node->id == ABI_MESSAGE_ID) {
            take_messages(b->model, node);
        }
    }
    thread->time.end_ns = find_end(b, thread, losses->read.open_calls > 0);
    thread->time.busy_ns = answer_ns(clock, busy);
    const struct trace_usage usage = trace_usage_of(&sections->source, row, busy);
    thread->time.worked_ns = answer_ns(clock, usage.worked);
    thread->time.ready_ns = answer_ns(clock, usage.ready);
    thread->time.waited_ns = answer_ns(clock, usage.waited);
    thread->time.knows_ready = usage.knows_ready;
    b->model->facts.threads.have_bounds |= usage.is_known && !usage.is_whole;
}

static struct answer_thread make_thread(struct answer_building *b, size_t row)
{
    const struct abi_profile_thread *from = row_at(b, row);
    char name[ABI_TRACE_NAME_SIZE];

    end_name(name, from);
    return (struct answer_thread){
        .name = answer_copy_text(b, name),
        .id = from->thread_id,
        .is_main = (from->flags & ABI_PROFILE_MAIN) != 0,
        .is_live = (from->flags & ABI_PROFILE_ENDED) == 0,
        .is_virtual = (from->flags & ABI_PROFILE_VIRTUAL) != 0,
        .is_profiled = true,
        .time.has_cpu = from->cpu_time > 0,
        .time.cpu_ns = (int64_t)(from->cpu_ns & INT64_MAX),
        .member_count = from->thread_count,
        .time.start_ns = (uint64_t)to_ns(b, from->first_time),
        .time.end_ns = (uint64_t)to_ns(b, from->last_time),
    };
}

static struct answer_losses make_losses(const struct abi_profile_thread *from)
{
    return (struct answer_losses){
        .unseen_words = from->lost_words,
        .exact_words = from->exact_words,
        .read = {.words = from->words,
                 .lost_entries = from->lost_entries,
                 .lost_exits = from->lost_exits,
                 .inferred_exits = from->inferred,
                 .deep_calls = from->deep_calls},
    };
}

static void take_ring(struct answer_losses *losses, const struct abi_ring_view *view)
{
    losses->lapped_words = view->lapped_words;
    losses->missing_words = view->missing_words;
}

static enum mb_status add_row(struct gathering *g, size_t row, struct mb_error *err)
{
    struct answer_building *b = g->building;
    const struct abi_profile_thread *from = row_at(b, row);
    struct answer_thread *thread = &g->threads[g->count++];
    struct answer_losses *losses = MB_NEW_ARRAY(&b->model->arena, struct answer_losses, 1);
    struct abi_ring_view view;
    bool has_ring = from->ring > 0 && from->ring <= b->trace->file.header.ring_count &&
                    g->rows[from->ring - 1] == row;

    if (losses == NULL) {
        return mb_fail_memory(err);
    }
    *losses = make_losses(from);
    *thread = make_thread(b, row);
    thread->losses = losses;
    take_tree(b, thread, row, losses);
    MB_TRY(answer_take_idle(b, thread, err));
    answer_sampled_choose(
        b, thread,
        (struct answer_records_place){.ring = from->ring, .profile_row = (uint32_t)row + 1});
    if (has_ring) {
        MB_TRY(abi_tracefile_ring(&b->trace->file, from->ring - 1, &view, &has_ring, err));
        uint64_t pending =
            view.entry.written > from->position ? view.entry.written - from->position : 0;
        take_ring(losses, &view);
        losses->unseen_words += pending;
        MB_TRY(answer_add_calls(b, thread, &view, NULL, err));
    } else if (answer_sampled_is_drawn(b)) {
        MB_TRY(answer_add_sampled_calls(b, thread, thread->node_count > 0, err));
    }
    MB_TRY(answer_sampled_add(b, thread, err));
    return answer_add_costs(b, thread, err);
}

static bool is_wanted_row(const struct answer_building *b, size_t row)
{
    char name[ABI_TRACE_NAME_SIZE];

    end_name(name, row_at(b, row));
    return answer_is_thread(name, row_at(b, row)->thread_id, b->options->thread);
}

static enum mb_status add_rows(struct gathering *g, bool are_main, struct mb_error *err)
{
    const struct answer_building *b = g->building;

    for (size_t i = 0; i < b->model->sections.source.thread_count; i++) {
        bool is_main = (row_at(b, i)->flags & ABI_PROFILE_MAIN) != 0;
        if (is_main == are_main && is_wanted_row(b, i)) {
            MB_TRY(add_row(g, i, err));
        }
    }
    return MB_OK;
}

/* ---- From the rings ---- */

/* False for a ring that was not asked for. */
static bool cut_to_wanted(struct answer_building *b, uint32_t index, struct abi_ring_view *view)
{
    if (!answer_is_thread(view->entry.thread_name, view->entry.thread_id, b->options->thread)) {
        return false;
    }
    if (b->options->mark == NULL) {
        return true;
    }
    if (b->mark.ring != index) {
        return false;
    }
    abi_ring_view_cut_end(view, b->mark.end);
    const struct answer_value thread =
        ANSWER_TEXT("thread", answer_copy_text(b, view->entry.thread_name));
    const struct answer_value mark = ANSWER_TEXT("mark", answer_copy_text(b, b->mark.name));
    const struct answer_value first = ANSWER_NUMBER("first", b->mark.position);
    if (b->mark.end < UINT64_MAX) {
        ANSWER_FIND(&b->model->notes, WITHIN_MARK, thread, mark, first,
                    ANSWER_NUMBER("last", b->mark.end));
    } else {
        ANSWER_FIND(&b->model->notes, SINCE_MARK, thread, mark, first);
    }
    abi_ring_view_cut(view, b->mark.position);
    return true;
}

/* Also where no row has the ring: that of an ended thread may have another ring and name by now. */
static bool is_in_profile(const struct answer_building *b, const struct abi_trace_ring *ring)
{
    return b->model->sections.source.thread_count > 0 && (ring->drained > 0 || ring->written == 0);
}

/* The ring of a thread whose row has another, or none any more, has the row's idle loops. */
static void share_idle(const struct gathering *g, struct answer_thread *thread)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct answer_thread *row = &g->threads[i];
        if (row->idle_count > 0 && mb_text_equal(row->name, thread->name)) {
            thread->idle_ids = row->idle_ids;
            thread->idle_count = row->idle_count;
        }
    }
}

static enum mb_status add_ring(struct gathering *g, uint32_t ring, const struct abi_ring_view *view,
                               struct mb_error *err)
{
    struct answer_building *b = g->building;
    bool is_profiled = is_in_profile(b, &view->entry);
    struct answer_thread *thread = is_profiled
                                       ? MB_NEW_ARRAY(&b->model->arena, struct answer_thread, 1)
                                       : &g->threads[g->count];
    struct answer_losses *losses = MB_NEW_ARRAY(&b->model->arena, struct answer_losses, 1);

    if (thread == NULL || losses == NULL) {
        return mb_fail_memory(err);
    }
    *losses = (struct answer_losses){0};
    take_ring(losses, view);
    *thread = (struct answer_thread){
        .name = answer_copy_text(b, view->entry.thread_name),
        .id = view->entry.thread_id,
        .is_main = view->entry.is_main != 0,
        .is_live = view->entry.state == ABI_RING_LIVE,
        .is_virtual = view->entry.is_virtual != 0,
        .losses = losses,
    };
    if (is_profiled) {
        share_idle(g, thread);
        b->model->facts.threads.missing_words += view->missing_words;
    }
    b->sampled_index = SIZE_MAX; /* samples are with the row */
    if (!is_profiled) {
        answer_sampled_choose(b, thread, (struct answer_records_place){.ring = ring + 1});
    }
    MB_TRY(answer_add_calls(b, thread, view, is_profiled ? NULL : &losses->read, err));
    if (is_profiled) {
        return MB_OK;
    }
    g->count++;
    MB_TRY(answer_sampled_add(b, thread, err));
    return answer_add_costs(b, thread, err);
}

static enum mb_status add_rings(struct gathering *g, struct mb_error *err)
{
    struct answer_building *b = g->building;
    struct mb_error ring_error;

    for (uint32_t i = 0; i < b->trace->file.header.ring_count; i++) {
        struct abi_ring_view view;
        bool used = false;
        if (abi_tracefile_ring(&b->trace->file, i, &view, &used, &ring_error) != MB_OK) {
            ANSWER_FIND(&b->model->notes, RING_DAMAGED,
                        ANSWER_TEXT("reason", answer_copy_text(b, ring_error.reason)));
        }
        if (used && g->rows[i] == NO_ROW && cut_to_wanted(b, i, &view)) {
            MB_TRY(add_ring(g, i, &view, err));
        }
    }
    return MB_OK;
}

/* ---- From the samples ---- */

static enum mb_status add_sampled(struct gathering *g, struct mb_error *err)
{
    struct answer_building *b = g->building;
    size_t next = 0;
    bool is_there = true;

    while (is_there) {
        struct answer_thread *thread = &g->threads[g->count];
        MB_TRY(answer_sampled_next(b, &next, thread, &is_there, err));
        if (is_there) {
            g->count++;
            MB_TRY(answer_add_sampled_calls(b, thread, false, err));
            MB_TRY(answer_add_costs(b, thread, err));
        }
    }
    return MB_OK;
}

/* ---- All ---- */

/* A row has the ring that it names while no other thread was given it. */
static void pair_rings(struct gathering *g)
{
    const struct answer_building *b = g->building;
    uint32_t ring_count = b->trace->file.header.ring_count;

    for (uint32_t i = 0; i < ring_count; i++) {
        g->rows[i] = NO_ROW;
    }
    for (size_t i = 0; i < b->model->sections.source.thread_count; i++) {
        const struct abi_profile_thread *row = row_at(b, i);
        struct abi_ring_view view;
        bool used = false;
        if (row->ring > 0 && row->ring <= ring_count &&
            abi_tracefile_ring(&b->trace->file, row->ring - 1, &view, &used, NULL) == MB_OK &&
            used && view.entry.claim == row->claim) {
            g->rows[row->ring - 1] = i;
        }
    }
}

enum mb_status answer_add_threads(struct answer_building *b, struct mb_error *err)
{
    size_t ring_count = b->trace->file.header.ring_count;
    size_t most =
        ring_count + b->model->sections.source.thread_count + b->model->sampled.thread_count + 1;
    struct gathering g = {
        .building = b,
        .threads = MB_VEC_EXTEND(&b->model->threads, most),
        .rows = MB_NEW_ARRAY(&b->model->arena, size_t, ring_count + 1),
    };

    if (g.threads == NULL || g.rows == NULL) {
        return mb_fail_memory(err);
    }
    pair_rings(&g);
    MB_TRY(add_rows(&g, true, err));
    MB_TRY(add_rows(&g, false, err));
    MB_TRY(add_rings(&g, err));
    MB_TRY(add_sampled(&g, err));
    b->model->facts.threads.rows = g.threads;
    b->model->facts.threads.count = g.count;
    if (g.count == 0 && b->options->thread != NULL) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "no thread is called '%s'",
                       b->options->thread);
    }
    return MB_OK;
}
