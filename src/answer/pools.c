#include "answer/pools.h"

#include "answer/words.h"

#include <stdlib.h>

#define WORK 10       /* a run that worked for less than a tenth of its time waited */
#define MAIN_WAITS 20 /* the main thread counts a twentieth: its waits are shown separately */

struct mb_text answer_name_stem(struct mb_text name)
{
    size_t size = name.size;

    while (size > 0 && mb_is_digit(name.data[size - 1])) {
        size--;
    }
    return (struct mb_text){name.data, size > 0 ? size : name.size};
}

bool answer_pool_has(const struct answer_pool *pool, const struct answer_thread *thread)
{
    return pool->first->is_main || thread->is_main
               ? pool->first == thread
               : mb_text_equal(pool->stem, answer_name_stem(thread->name));
}

/* The pool of the thread, made if need be; NULL without memory. */
static struct answer_pool *find_pool(union answer_pools *pools, const struct answer_thread *thread)
{
    for (size_t i = 0; i < MB_VEC_COUNT(pools); i++) {
        if (answer_pool_has(&pools->items[i], thread)) {
            return &pools->items[i];
        }
    }
    struct answer_pool *pool = MB_VEC_ADD(pools);
    if (pool != NULL) {
        *pool = (struct answer_pool){.stem = answer_name_stem(thread->name), .first = thread};
    }
    return pool;
}

int64_t answer_pool_span(const struct answer_pool *pool)
{
    bool is_forward = pool->start_ns < pool->end_ns;
    int64_t span_ns = is_forward ? (int64_t)((pool->end_ns - pool->start_ns) & INT64_MAX) : 0;

    return pool->thread_count == 1 && pool->busy_ns > span_ns ? pool->busy_ns : span_ns;
}

/* What a pool may have worked. Virtual threads wait more than they work, by an unknown amount: they
 * count as one thread. */
static int64_t work_of(const struct answer_pool *pool)
{
    int64_t span_ns = answer_pool_span(pool);
    int64_t worked_ns = trace_subtract(pool->busy_ns, pool->waited_ns);

    return pool->first->is_virtual && worked_ns > span_ns ? span_ns : worked_ns;
}

/* For a run in which all threads waited; what the main thread waited for is shown separately. */
static int64_t wait_of(const struct answer_pool *pool)
{
    return pool->first->is_main ? pool->busy_ns / MAIN_WAITS : pool->busy_ns;
}

/* No pool had a processor for more than a tenth of the run. */
static bool is_waiting(const struct answer_pool *rows, size_t count, int64_t span_ns)
{
    bool is = span_ns > 0;

    for (size_t i = 0; i < count; i++) {
        int64_t worked_ns = trace_subtract(work_of(&rows[i]), rows[i].ready_ns);
        is = is && answer_knows_waiting(&rows[i]) && worked_ns <= span_ns / WORK;
    }
    return is;
}

/* HotSpot's own for those who attach, which runs the agents of others too. */
static bool is_of_jvm(const struct answer_pool *pool)
{
    return mb_text_is(pool->stem, "Attach Listener");
}

static void rank_pools(struct answer_pool *rows, size_t count, const struct answer_threads *threads)
{
    const struct answer_sums sums = answer_sum(threads);
    bool by_wait = is_waiting(rows, count, (int64_t)((sums.end_ns - sums.start_ns) & INT64_MAX));

    for (size_t i = 0; i < count; i++) {
        int64_t rank_ns = by_wait ? wait_of(&rows[i]) : work_of(&rows[i]);
        rows[i].rank_ns = is_of_jvm(&rows[i]) ? -1 : rank_ns;
    }
}

static int by_rank(const void *a, const void *b)
{
    const struct answer_pool *x = a;
    const struct answer_pool *y = b;

    if (x->rank_ns != y->rank_ns) {
        return x->rank_ns < y->rank_ns ? 1 : -1;
    }
    return (x->first > y->first) - (x->first < y->first);
}

static int64_t excess_of(int64_t part_ns, int64_t other_ns)
{
    return part_ns > other_ns ? part_ns - other_ns : 0;
}

/* What the calls of a thread did not work, one by one, in ns. */
struct placed {
    int64_t waited;
    int64_t ready;
};

/* In idle loops, or elsewhere. */
static struct placed placed_of(const struct answer_clock *clock, const struct answer_thread *thread,
                               bool is_idle)
{
    struct placed placed = {0};

    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        bool is_wanted = node->is_idle == is_idle;
        placed.waited = trace_add(placed.waited, is_wanted ? node->waited : 0);
        placed.ready = trace_add(placed.ready, is_wanted ? node->ready : 0);
    }
    return (struct placed){answer_ns(clock, placed.waited), answer_ns(clock, placed.ready)};
}

/* Without idle loops: what is not known of those may have been anything. */
static void add_times(struct answer_pool *pool, const struct answer_clock *clock,
                      const struct answer_thread *thread)
{
    const struct answer_time *time = &thread->time;
    const struct placed idle = placed_of(clock, thread, true);
    int64_t unknown_ns = excess_of(time->idle_ns, trace_add(idle.waited, idle.ready));
    int64_t busy_ns = excess_of(time->busy_ns, time->idle_ns);
    int64_t worked_ns = excess_of(time->worked_ns, unknown_ns);
    int64_t ready_ns = excess_of(time->ready_ns, trace_add(idle.ready, unknown_ns));

    pool->busy_ns = trace_add(pool->busy_ns, busy_ns);
    pool->worked_ns = trace_add(pool->worked_ns, worked_ns < busy_ns ? worked_ns : busy_ns);
    pool->ready_ns = trace_add(pool->ready_ns, ready_ns);
    pool->waited_ns = trace_add(pool->waited_ns, excess_of(time->waited_ns, time->idle_ns));
    pool->idle_ns = trace_add(pool->idle_ns, time->idle_ns);
}

static void add_thread(struct answer_pool *pool, const struct answer_clock *clock,
                       const struct answer_thread *thread)
{
    pool->row_count++;
    pool->thread_count += thread->member_count > 0 ? thread->member_count : 1;
    add_times(pool, clock, thread);
    pool->lacks_ready = pool->lacks_ready || !thread->time.knows_ready;
    pool->placed_ns = trace_add(pool->placed_ns, placed_of(clock, thread, false).waited);
    if (answer_thread_has_calls(thread)) {
        bool is_first = pool->end_ns == 0 || thread->time.start_ns < pool->start_ns;
        pool->start_ns = is_first ? thread->time.start_ns : pool->start_ns;
        pool->end_ns = thread->time.end_ns > pool->end_ns ? thread->time.end_ns : pool->end_ns;
    }
    pool->calls += thread->calls;
    if (thread->seen != NULL) {
        pool->samples += thread->seen->stacks;
        pool->met_ns = trace_add(pool->met_ns, thread->seen->met_ns);
    }
}

void answer_pools_collect(union answer_pools *pools, const struct answer_clock *clock,
                          const struct answer_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        struct answer_pool *pool = find_pool(pools, thread);
        if (pool == NULL) {
            return;
        }
        add_thread(pool, clock, thread);
    }
    if (MB_VEC_COUNT(pools) > 0) {
        rank_pools(pools->items, MB_VEC_COUNT(pools), threads);
        MB_VEC_SORT(pools, by_rank);
    }
}

struct answer_value answer_pool_value(const struct answer_pool *pool)
{
    struct answer_value value =
        ANSWER_TEXT("pool", pool->row_count > 1 ? pool->stem : pool->first->name);

    value.number = value.text.size < pool->first->name.size;
    return value;
}

void answer_put_pool(struct mb_buf *out, const struct answer_pool *pool)
{
    const struct answer_value value = answer_pool_value(pool);

    mb_buf_put_printable(out, value.text);
    mb_buf_put_string(out, value.number == 1 ? "*" : "");
}

void answer_put_members(struct mb_buf *out, const struct answer_thread *first, uint64_t count)
{
    if (count > 1 || first->is_virtual) {
        mb_buf_put_string(out, first->is_virtual ? " (virtual, up to " : " (");
        answer_put_count(out, count, 0);
        mb_buf_put_string(out, first->is_virtual ? " at a time)" : " threads)");
    }
}
