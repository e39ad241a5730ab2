#include "trace/samples.h"

/* The samples of a view, being put by thread. */
struct sorting {
    struct trace_samples *samples;
    const struct abi_sampling_view *view;
    struct trace_sampled_thread *threads;
    struct trace_sample *rows;
    uint32_t *order;
    struct trace_frame *frames;
};

int64_t trace_samples_time(const struct trace_samples *samples, uint64_t time)
{
    uint64_t from = samples->view->ns_per_unit;
    uint64_t units = from == samples->ns_per_unit
                         ? time
                         : abi_trace_units(samples->ns_per_unit, abi_trace_ns(from, time));

    return (int64_t)(units & INT64_MAX);
}

/* ---- Nodes ---- */

static void take_frames(struct sorting *s, const struct trace_probes *probes)
{
    for (size_t i = 0; i < s->view->node_count; i++) {
        const struct abi_stack_node *node = &s->view->nodes[i];
        bool is_outermost = node->parent == ABI_STACK_NO_NODE;
        const struct trace_frame caller = is_outermost
                                              ? (struct trace_frame){.plain = ABI_STACK_NO_NODE}
                                              : s->frames[node->parent];
        bool is_inside = !is_outermost && caller.plain != node->parent;
        bool is_probe = is_inside || (probes != NULL && probes->is_probe != NULL &&
                                      probes->is_probe(probes->context, node->id));
        s->frames[i] = (struct trace_frame){
            .plain = is_probe ? caller.plain : (uint32_t)i,
            .depth = caller.depth + !is_probe,
            .parent = node->parent,
            .id = node->id,
        };
        s->threads[node->thread].node_count++;
    }
}

static void order_nodes(struct sorting *s)
{
    size_t first = 0;

    for (size_t t = 0; t < s->view->thread_count; t++) {
        s->threads[t].first_node = first;
        first += s->threads[t].node_count;
        s->threads[t].node_count = 0;
    }
    for (size_t i = 0; i < s->view->node_count; i++) {
        struct trace_sampled_thread *thread = &s->threads[s->view->nodes[i].thread];
        s->order[thread->first_node + thread->node_count++] = (uint32_t)i;
    }
}

/* ---- Samples ---- */

static void count_samples(struct sorting *s)
{
    size_t first = 0;

    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < s->view->sample_counts[r]; i++) {
            s->threads[s->view->nodes[s->view->samples[r][i].node].thread].count++;
        }
    }
    for (size_t t = 0; t < s->view->thread_count; t++) {
        s->threads[t].first = first;
        first += s->threads[t].count;
        s->threads[t].count = 0;
    }
}

static uint32_t interval_of(const struct sorting *s, const struct abi_sample *sample)
{
    uint64_t ns = sample->interval_us * UINT64_C(1000);
    uint64_t units = abi_trace_units(s->samples->ns_per_unit, ns);

    return units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

/* What it took between two samples of which one met it waiting, it may have taken in calls that
 * samples do not meet. */
static void add_cpu_time(struct trace_sampled_thread *thread, const struct abi_sample *sample)
{
    const struct abi_sample *last = thread->last;
    bool is_known = last != NULL && sample->cpu_ns > last->cpu_ns;
    int64_t cpu_ns = is_known ? (int64_t)((sample->cpu_ns - last->cpu_ns) & INT64_MAX) : 0;
    bool ran = is_known && last->state == ABI_SAMPLE_RUNNING && sample->state == last->state;

    thread->met_ns = trace_add(thread->met_ns, ran ? cpu_ns : -cpu_ns);
    thread->last = sample;
}

static void put_sample(struct sorting *s, const struct abi_sample *from)
{
    struct trace_sampled_thread *thread = &s->threads[s->view->nodes[from->node].thread];
    struct trace_sample *row = &s->rows[thread->first + thread->count];
    uint64_t time = (uint64_t)trace_samples_time(s->samples, from->time);
    uint64_t until = (uint64_t)trace_samples_time(s->samples, from->until);

    if (thread->count > 0 && time < row[-1].time) {
        s->samples->disordered++;
        return;
    }
    if (thread->count > 0 && row[-1].until > time) {
        row[-1].until = time;
    }
    *row = (struct trace_sample){
        .time = time,
        .until = until > time ? until : time,
        .interval = interval_of(s, from),
        .node = s->frames[from->node].plain,
    };
    add_cpu_time(thread, from);
    thread->count++;
}

/* ---- All ---- */

static bool take_memory(struct sorting *s)
{
    const struct abi_sampling_view *view = s->view;
    struct trace_samples *samples = s->samples;
    size_t count = view->sample_counts[0] + view->sample_counts[1];
    size_t threads_size = (view->thread_count + 1) * sizeof(*s->threads);

    s->threads = mb_buf_zero(&samples->threads.buf, threads_size) ? samples->threads.items : NULL;
    s->rows = mb_buf_take(&samples->rows.buf, count + 1, sizeof(*s->rows));
    s->order = mb_buf_take(&samples->order.buf, view->node_count + 1, sizeof(*s->order));
    s->frames = mb_buf_take(&samples->frames.buf, view->node_count + 1, sizeof(*s->frames));
    return s->threads != NULL && s->rows != NULL && s->order != NULL && s->frames != NULL;
}

enum mb_status trace_samples_make(struct trace_samples *samples,
                                  const struct abi_sampling_view *view, uint64_t ns_per_unit,
                                  const struct trace_probes *probes, struct mb_error *err)
{
    struct sorting s = {.samples = samples, .view = view};

    samples->view = view;
    samples->ns_per_unit = ns_per_unit;
    samples->disordered = 0;
    if (!take_memory(&s)) {
        return mb_fail_memory(err);
    }
    take_frames(&s, probes);
    order_nodes(&s);
    count_samples(&s);
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->sample_counts[r]; i++) {
            put_sample(&s, &view->samples[r][i]);
        }
    }
    return MB_OK;
}

const struct trace_sample *trace_samples_of(const struct trace_samples *samples, size_t thread,
                                            size_t *count)
{
    *count = samples->threads.items[thread].count;
    return &samples->rows.items[samples->threads.items[thread].first];
}

void trace_samples_finish(struct trace_samples *samples)
{
    mb_buf_finish(&samples->threads.buf);
    mb_buf_finish(&samples->rows.buf);
    mb_buf_finish(&samples->order.buf);
    mb_buf_finish(&samples->frames.buf);
}

struct trace_sampled_time trace_samples_sum(const struct trace_samples *samples, size_t thread)
{
    const struct trace_sampled_thread *place = &samples->threads.items[thread];
    const uint32_t *order = &samples->order.items[place->first_node];
    struct trace_sampled_time sum = {.met_ns = place->met_ns};

    for (size_t i = 0; i < place->node_count; i++) {
        const struct abi_stack_node *node = &samples->view->nodes[order[i]];
        sum.running = trace_add(sum.running, trace_samples_time(samples, node->running));
        sum.waiting = trace_add(sum.waiting, trace_samples_time(samples, node->waiting));
        sum.cpu_ns = trace_add(sum.cpu_ns, (int64_t)(node->cpu_ns & INT64_MAX));
    }
    return sum;
}
