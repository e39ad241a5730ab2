#include "answer/building.h"

#include "answer/trust.h"
#include "base/number.h"
#include "trace/graft.h"

#include <stdlib.h>
#include <string.h>

static const char *const engines[] = {
    [ABI_ENGINE_AGCT] = "AsyncGetCallTrace",
    [ABI_ENGINE_JVMTI] = "GetStackTrace",
    [ABI_ENGINE_JAVA] = "Thread.getStackTrace",
};

/* Of the recorder's own classes. */
static bool is_probe(const void *context, uint32_t id)
{
    const struct answer_names *names = context;
    struct mb_text name = names->find(names->context, id);

    return mb_text_starts(name, MB_TEXT("java.lang.$MethodBeat.")) ||
           mb_text_starts(name, MB_TEXT("methodbeat."));
}

static int64_t us_to_ns(uint32_t us)
{
    return (int64_t)us * 1000;
}

/* Code 0 tells of a thread that had no frames. */
static uint64_t failed_stacks(const struct abi_sampling *sampling)
{
    uint64_t sum = 0;

    for (size_t i = 1; i < ABI_AGCT_CODES; i++) {
        sum += sampling->failed[i];
    }
    return sum;
}

/* Stacks whose outermost frame is not the thread's first. */
static enum mb_status count_cut(struct answer_building *b, const struct abi_sampling_view *view,
                                struct mb_error *err)
{
    bool *is_cut = MB_NEW_ARRAY(&b->model->arena, bool, view->node_count + 1);

    if (is_cut == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < view->node_count; i++) {
        const struct abi_stack_node *node = &view->nodes[i];
        is_cut[i] = node->parent == ABI_STACK_NO_NODE ? (node->flags & ABI_STACK_CUT) != 0
                                                      : is_cut[node->parent];
        b->model->facts.sampling.cut += is_cut[i] ? node->samples : 0;
    }
    return MB_OK;
}

/* Methods that the map has by its ids. Nodes are the view's, unless there are such. */
static enum mb_status join_methods(struct answer_building *b, struct abi_sampling_view *view,
                                   struct mb_error *err)
{
    const struct answer_map *names = &b->trace->names;
    struct abi_stack_node *nodes =
        names->joins.size > 0
            ? MB_NEW_ARRAY(&b->model->arena, struct abi_stack_node, view->node_count + 1)
            : NULL;

    if (names->joins.size == 0) {
        return MB_OK;
    }
    if (nodes == NULL) {
        return mb_fail_memory(err);
    }
    if (view->node_count > 0) {
        memcpy(nodes, view->nodes, view->node_count * sizeof(*nodes));
    }
    for (size_t i = 0; i < view->node_count; i++) {
        nodes[i].id = answer_map_joined(names, nodes[i].id);
    }
    view->nodes = nodes;
    return MB_OK;
}

/* In units of the trace's words: no sum of samples is finer. */
static int64_t widest_interval(const struct answer_building *b, const struct abi_sampling *sampling)
{
    uint64_t us =
        mb_max_u64(mb_max_u64(sampling->main_interval_us, sampling->widest_main_us),
                   mb_max_u64(sampling->threads_interval_us, sampling->widest_threads_us));
    uint64_t units = abi_trace_units(b->model->facts.clock.ns_per_unit, us * 1000);

    return (int64_t)(units & INT64_MAX);
}

/* A program without probes has no other time. */
static void find_end(struct answer_building *b)
{
    const struct abi_sampling_view *view = &b->model->sampled;
    uint64_t last = 0;

    for (size_t i = 0; i < view->thread_count; i++) {
        last = view->threads[i].last_time > last ? view->threads[i].last_time : last;
    }
    last = (uint64_t)trace_samples_time(&b->samples, last);
    b->end = last > b->end ? last : b->end;
}

enum mb_status answer_sampled_open(struct answer_building *b, struct mb_error *err)
{
    struct abi_sampling_view *view = &b->model->sampled;
    struct answer_methods *methods = &b->model->facts.methods;
    uint64_t ns_per_unit = b->model->facts.clock.ns_per_unit;
    const struct trace_probes probes = {is_probe, &methods->names};

    if (b->options->mark != NULL) {
        return MB_OK; /* a place in a ring of records */
    }
    MB_TRY(abi_sampling_open(view, &b->trace->file, err));
    MB_TRY(join_methods(b, view, err));
    const struct abi_sampling *from = &view->sampling;
    if (from->engine == 0 || from->engine >= MB_COUNT(engines)) {
        return MB_OK;
    }
    b->model->facts.sampling = (struct answer_sampling){
        .is_known = true,
        .engine = engines[from->engine],
        .is_of_late = from->engine == ABI_ENGINE_JAVA,
        .is_of_gaps = from->fills_gaps != 0,
        .main_ns = us_to_ns(from->main_interval_us),
        .threads_ns = us_to_ns(from->threads_interval_us),
        .widest_main_ns = us_to_ns(from->widest_main_us),
        .widest_threads_ns = us_to_ns(from->widest_threads_us),
        .taken = from->taken,
        .polled = from->polled,
        .failed = failed_stacks(from),
        .left_out = from->left_out,
        .crowded = from->crowded,
        .depth = from->depth,
        .idle = from->idle,
        .target_ns = (int64_t)(from->target_ns & INT64_MAX),
        .own_ns = (int64_t)(from->own_ns & INT64_MAX),
    };
    MB_TRY(count_cut(b, view, err));
    methods->sample_interval = widest_interval(b, from);
    MB_TRY(trace_samples_make(&b->samples, view, ns_per_unit, &probes, err));
    find_end(b);
    b->sampled_taken = MB_NEW_ARRAY(&b->model->arena, bool, view->thread_count + 1);
    if (b->sampled_taken == NULL) {
        return mb_fail_memory(err);
    }
    memset(b->sampled_taken, 0, view->thread_count + 1);
    for (size_t i = 0; i < view->thread_count; i++) {
        b->has_profile_rows = b->has_profile_rows || view->threads[i].profile_row > 0;
    }
    if (view->lost_nodes > 0) {
        ANSWER_FIND(&b->model->notes, FRAMES_LOST, ANSWER_COUNT("frames", view->lost_nodes));
    }
    return MB_OK;
}

/* ---- Threads ---- */

/* Of a row of the profile, what its threads were seen in while they recorded; of others, and where
 * nothing tells of rows, by the number of the system, and then by name. */
static size_t find_sampled(const struct answer_building *b, const struct answer_thread *thread,
                           struct answer_records_place place)
{
    const struct abi_sampling_view *view = &b->model->sampled;
    size_t by_name = view->thread_count;

    for (size_t i = 0; i < view->thread_count; i++) {
        const struct abi_sample_thread *row = &view->threads[i];
        if (place.profile_row > 0 && row->profile_row == place.profile_row) {
            return i;
        }
        if (b->sampled_taken[i] || (b->has_profile_rows && place.profile_row > 0)) {
            continue;
        }
        if (row->thread_id == thread->id || (place.ring > 0 && row->ring == place.ring)) {
            return i;
        }
        bool has_name = !b->has_profile_rows && mb_text_is(thread->name, row->name);
        by_name = has_name && by_name == view->thread_count ? i : by_name;
    }
    return by_name;
}

void answer_sampled_choose(struct answer_building *b, const struct answer_thread *thread,
                           struct answer_records_place place)
{
    b->sampled_index = SIZE_MAX;
    if (!b->model->facts.sampling.is_known) {
        return;
    }
    b->sampled_index = find_sampled(b, thread, place);
    if (answer_sampled_has(b)) {
        b->sampled_taken[b->sampled_index] = true;
    }
}

enum mb_status answer_sampled_add(struct answer_building *b, struct answer_thread *thread,
                                  struct mb_error *err)
{
    const struct trace_graft_source source = {
        .samples = &b->samples,
        .thread = b->sampled_index,
        .nodes = thread->nodes,
        .node_count = thread->node_count,
        .mutes = b->model->sections.mutes,
        .mute_count = b->model->sections.mute_count,
        .fills_gaps = b->model->facts.sampling.is_of_gaps,
    };

    if (!answer_sampled_has(b)) {
        return MB_OK;
    }
    struct answer_seen *seen = MB_NEW_ARRAY(&b->model->arena, struct answer_seen, 1);
    if (seen == NULL) {
        return mb_fail_memory(err);
    }
    seen->stacks = b->model->sampled.threads[b->sampled_index].samples;
    seen->met_ns = trace_samples_sum(&b->samples, b->sampled_index).met_ns;
    thread->seen = seen;
    MB_TRY(trace_graft_make(&b->graft, &source, err));
    answer_keep_tree(b->model, thread, &b->graft.profile);
    return MB_OK;
}

static struct answer_time time_of(const struct answer_building *b, size_t index)
{
    const struct answer_clock *clock = &b->model->facts.clock;
    const struct abi_sample_thread *row = &b->model->sampled.threads[index];
    const struct trace_sampled_time sum = trace_samples_sum(&b->samples, index);
    int64_t running_ns = answer_ns(clock, sum.running);
    int64_t busy_ns = trace_add(running_ns, answer_ns(clock, sum.waiting));
    int64_t worked_ns = sum.cpu_ns > 0 ? mb_min_i64(sum.cpu_ns, busy_ns) : running_ns;
    int64_t ready_ns = row->knows_ready != 0 ? (int64_t)(row->ready_ns & INT64_MAX)
                                             : mb_max_i64(running_ns - worked_ns, 0);

    ready_ns = mb_min_i64(ready_ns, busy_ns - worked_ns);
    return (struct answer_time){
        .has_cpu = true,
        .knows_ready = true,
        .start_ns = answer_sampled_ns(b, row->first_time),
        .end_ns = answer_sampled_ns(b, row->last_time),
        .ring_start_ns = answer_sampled_ns(b, row->last_time),
        .ring_end_ns = answer_sampled_ns(b, row->last_time),
        .worked_ns = worked_ns,
        .ready_ns = ready_ns,
        .waited_ns = busy_ns - worked_ns - ready_ns,
        .busy_ns = busy_ns,
        .cpu_ns = sum.cpu_ns,
    };
}

enum mb_status answer_sampled_next(struct answer_building *b, size_t *next,
                                   struct answer_thread *thread, bool *is_there,
                                   struct mb_error *err)
{
    const struct abi_sampling_view *view = &b->model->sampled;
    const struct answer_sampling *sampling = &b->model->facts.sampling;
    size_t count = sampling->is_known && !sampling->is_of_gaps ? view->thread_count : 0;

    *is_there = false;
    for (; *next < count && !*is_there; ++*next) {
        const struct abi_sample_thread *row = &view->threads[*next];
        if (b->sampled_taken[*next] || row->samples == 0 || row->profile_row > 0 ||
            !answer_is_thread(row->name, row->thread_id, b->options->thread)) {
            continue;
        }
        b->sampled_index = *next;
        b->sampled_taken[*next] = true;
        *thread = (struct answer_thread){.name = answer_copy_text(b, row->name),
                                         .id = row->thread_id,
                                         .is_main = row->is_main != 0,
                                         .is_live = row->has_ended == 0,
                                         .is_profiled = true,
                                         .time = time_of(b, *next)};
        *is_there = true;
        MB_TRY(answer_sampled_add(b, thread, err));
    }
    return MB_OK;
}

/* ---- What there is to say ---- */

static void find_taken(struct answer_findings *findings, const struct answer_sampling *sampling)
{
    bool has_main = sampling->main_ns > 0;
    bool has_others = sampling->threads_ns > 0;
    bool is_main_wider = sampling->widest_main_ns > sampling->main_ns;
    bool are_others_wider = sampling->widest_threads_ns > sampling->threads_ns;

    if (sampling->is_of_late) {
        ANSWER_FIND(findings, LATE_SAMPLES, ANSWER_COUNT("stacks", sampling->taken),
                    ANSWER_TEXT("engine", mb_text_of(sampling->engine)),
                    ANSWER_NS("interval", sampling->main_ns));
        return;
    }
    if (sampling->is_of_gaps) {
        ANSWER_FIND(findings, GAP_SAMPLES, ANSWER_COUNT("stacks", sampling->taken),
                    ANSWER_TEXT("engine", mb_text_of(sampling->engine)));
        return;
    }
    ANSWER_FIND(findings, SAMPLES, ANSWER_COUNT("stacks", sampling->taken),
                ANSWER_TEXT("engine", mb_text_of(sampling->engine)),
                ANSWER_NS(has_main ? "main" : NULL, sampling->main_ns),
                ANSWER_NS(is_main_wider ? "widestMain" : NULL, sampling->widest_main_ns),
                ANSWER_FLAG("both", has_main && has_others),
                ANSWER_NS(has_others ? "others" : NULL, sampling->threads_ns),
                ANSWER_NS(are_others_wider ? "widestOthers" : NULL, sampling->widest_threads_ns),
                ANSWER_COUNT("idle", sampling->idle));
}

void answer_find_samples(struct answer_findings *findings, const struct answer_sampling *sampling)
{
    if (!sampling->is_known) {
        return;
    }
    find_taken(findings, sampling);
    if (sampling->polled > 0) {
        ANSWER_FIND(findings, STACKS_POLLED, ANSWER_COUNT("stacks", sampling->polled));
    }
    if (sampling->failed > 0) {
        ANSWER_FIND(findings, STACKS_FAILED, ANSWER_COUNT("stacks", sampling->failed));
    }
    if (sampling->cut > 0) {
        ANSWER_FIND(findings, STACKS_CUT, ANSWER_COUNT("stacks", sampling->cut),
                    ANSWER_COUNT("depth", sampling->depth));
    }
    if (sampling->left_out > 0) {
        ANSWER_FIND(findings, THREADS_LEFT_OUT, ANSWER_COUNT("threads", sampling->left_out));
    }
    if (sampling->crowded > 0) {
        ANSWER_FIND(findings, CLASSES_UNNAMED, ANSWER_COUNT("classes", sampling->crowded));
    }
    ANSWER_FIND(findings, SAMPLING_COST, ANSWER_NS("target", sampling->target_ns),
                ANSWER_NS("own", sampling->own_ns));
}
