#include "formats/html_calls.h"

#include "abi/record.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- Which calls the page draws ---- */

#define NO_RANK UINT32_MAX
#define STEPS UINT64_C(64) /* durations that are told apart between a power of two and the next */

const union format_html_items *format_html_items(const struct format_html_picks *w,
                                                 const struct answer_thread *thread)
{
    static const union format_html_items none;
    const struct format_html_thread *rows = w->all->threads.items;

    for (size_t i = 0; i < MB_VEC_COUNT(&w->all->threads); i++) {
        if (rows[i].thread == thread) {
            return &rows[i].calls;
        }
    }
    return &none;
}

static void collect_threads(struct format_html_picks *picks)
{
    const struct answer_threads *threads = &picks->facts->threads;
    const struct format_html_thread *rows = picks->all->threads.items;

    for (size_t i = 0; i < threads->count; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        MB_VEC_PUSH(&picks->threads, thread);
    }
    for (size_t i = 0; i < MB_VEC_COUNT(&picks->all->threads); i++) {
        const struct answer_thread *thread = rows[i].thread;
        size_t at = 0;
        while (at < threads->count && &threads->rows[at] != thread) {
            at++;
        }
        if (at == threads->count) {
            MB_VEC_PUSH(&picks->threads, thread);
        }
    }
    picks->failed = picks->threads.buf.failed;
}

/* ---- Which calls ---- */

/* Numbers of about one size: a power of two and the next six bits. */
static size_t size_class(uint64_t number)
{
    unsigned shift = 0;

    while (number >> shift >= 2 * STEPS) {
        shift++;
    }
    return number < STEPS ? (size_t)number
                          : (size_t)(shift + 1) * STEPS + (number >> shift) - STEPS;
}

static uint64_t least_of_class(size_t class)
{
    return class < STEPS ? class : (uint64_t)(class % STEPS + STEPS) << (class / STEPS - 1);
}

#define CLASSES ((size_t)STEPS * 60)

/* The least number to keep, so that at most most are kept. */
static uint64_t find_least(const size_t counts[CLASSES], size_t most)
{
    size_t kept = 0;

    for (size_t class = CLASSES; class > 0; class --) {
        kept += counts[class - 1];
        if (kept > most) {
            return least_of_class(class);
        }
    }
    return 0;
}

uint64_t format_html_node_ns(const struct answer_clock *clock, const struct trace_node *node)
{
    return node->total > 0 ? (uint64_t)answer_ns(clock, node->total) : 0;
}

static void find_least_times(struct format_html_picks *w, const struct format_html_limits *limits)
{
    static const size_t none[CLASSES];
    const struct answer_thread *const *threads = w->threads.items;
    size_t *counts = calloc(2 * CLASSES, sizeof(*counts));
    size_t *nodes = counts != NULL ? counts + CLASSES : NULL;

    w->failed = w->failed || counts == NULL;
    for (size_t t = 0; counts != NULL && t < MB_VEC_COUNT(&w->threads); t++) {
        const struct answer_thread *thread = threads[t];
        const union format_html_items *calls = format_html_items(w, thread);
        for (size_t i = 0; i < MB_VEC_COUNT(calls); i++) {
            counts[size_class(calls->items[i].duration_ns)]++;
        }
        for (size_t i = 0; i < thread->node_count; i++) {
            nodes[size_class(format_html_node_ns(&w->facts->clock, &thread->nodes[i]))]++;
        }
    }
    w->least_ns = find_least(counts != NULL ? counts : none, limits->calls);
    w->least_node_ns = find_least(nodes != NULL ? nodes : none, limits->nodes);
    free(counts);
}

/* ---- Methods ---- */

static void add_rank(struct format_html_picks *w, const struct trace_method *method)
{
    uint32_t *rank = &w->ranks[method->id & ABI_ID_MASK];

    if (*rank == NO_RANK) {
        *rank = (uint32_t)MB_VEC_COUNT(&w->methods);
        MB_VEC_PUSH(&w->methods, *method);
    }
}

/* Those of the tables. */
static bool make_ranks(struct format_html_picks *w)
{
    const struct answer_methods *methods = &w->facts->methods;
    struct trace_method *sorted =
        answer_sort_methods(methods->rows, methods->count, ANSWER_BY_CALLS);

    w->ranks = malloc((ABI_ID_MASK + 1) * sizeof(*w->ranks));
    if (w->ranks != NULL) {
        memset(w->ranks, 0xff, (ABI_ID_MASK + 1) * sizeof(*w->ranks)); /* NO_RANK */
    }
    for (size_t i = 0; w->ranks != NULL && sorted != NULL && i < methods->count; i++) {
        add_rank(w, &sorted[i]);
    }
    bool is_made = w->ranks != NULL && sorted != NULL;
    free(sorted);
    return is_made;
}

/* Those that only rings or trees have. */
static void add_missing(struct format_html_picks *w)
{
    const struct answer_thread *const *threads = w->threads.items;

    for (size_t t = 0; t < MB_VEC_COUNT(&w->threads); t++) {
        const struct answer_thread *thread = threads[t];
        const union format_html_items *calls = format_html_items(w, thread);
        for (size_t i = 0; i < MB_VEC_COUNT(calls); i++) {
            add_rank(w, &(const struct trace_method){.id = calls->items[i].id});
        }
        for (size_t i = 0; i < thread->node_count; i++) {
            add_rank(w, &(const struct trace_method){.id = thread->nodes[i].id});
        }
    }
}

uint32_t format_html_rank(const struct format_html_picks *w, uint32_t id)
{
    return w->ranks[id & ABI_ID_MASK];
}

void format_html_pick(struct format_html_picks *picks, const struct format_html_limits *limits)
{
    collect_threads(picks);
    find_least_times(picks, limits);
    if (!picks->failed && make_ranks(picks)) {
        add_missing(picks);
    } else {
        picks->failed = true;
    }
    picks->failed = picks->failed || picks->methods.buf.failed;
}

void format_html_picks_finish(struct format_html_picks *picks)
{
    free(picks->ranks);
    mb_buf_finish(&picks->threads.buf);
    mb_buf_finish(&picks->methods.buf);
}
