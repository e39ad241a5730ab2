/* Tables of methods and threads. */

#include "base/vec.h"
#include "formats/text.h"

#include "answer/marks.h"
#include "answer/trust.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_POOLS 8
#define THREAD_TOP 5 /* methods of a thread */
#define WAITING_TOP 8
#define HELD_INDENT 20
#define METHOD_HEADING "       own     %    total  calls     mean  method\n"
#define VAGUE_PERCENT 50 /* of error: four samples, or fewer */
#define SURE_ROWS 3

/* ---- Methods ---- */

/* Outside of idle loops, which have a line of their own. */
static int64_t told_waiting(const struct trace_method *row)
{
    return row->waited > row->idle ? row->waited - row->idle : 0;
}

static int64_t sum_own(const struct trace_method *rows, size_t count)
{
    int64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum = trace_add(sum, rows[i].self > 0 && !answer_is_waiting(&rows[i]) ? rows[i].self : 0);
    }
    return sum;
}

/* Whose time is in its own. */
static void put_held(const struct answer_methods *methods, const struct format_look *look,
                     uint32_t id, struct mb_buf *out)
{
    const struct answer_marks marks = answer_marks_of(methods, id, 0, 0);

    if (marks.held_count > 0) {
        mb_buf_printf(out, "%*sincludes calls of muted ", HELD_INDENT, "");
        format_put_method(look, &methods->names, out, marks.held->id, HELD_INDENT + 36);
        if (marks.held_count > 1) {
            mb_buf_printf(out, " and %zu more", marks.held_count - 1);
        }
        mb_buf_put_u1(out, '\n');
    }
}

/* Not below the tick of a coarse clock. */
static bool is_known(const struct answer_clock *clock, int64_t units)
{
    return answer_tick_ns(clock) == 0 || answer_ns(clock, units) > answer_tick_ns(clock);
}

static void put_bounded(const struct answer_clock *clock, int64_t units, struct mb_buf *out)
{
    if (is_known(clock, units)) {
        answer_put_time(out, answer_ns(clock, units), 8);
    } else {
        mb_buf_put_u1(out, '<');
        answer_put_time(out, answer_tick_ns(clock), 7);
    }
}

static void put_method_row(const struct answer_clock *clock, const struct answer_methods *methods,
                           const struct format_look *look, const struct trace_method *row,
                           int64_t own_sum, struct mb_buf *out)
{
    mb_buf_put_string(out, "  ");
    put_bounded(clock, row->self, out);
    if (is_known(clock, row->self)) {
        answer_put_percent(out, row->self, own_sum, 6);
    } else {
        mb_buf_printf(out, "%6s", "-");
    }
    mb_buf_put_u1(out, ' ');
    put_bounded(clock, row->total, out);
    mb_buf_put_u1(out, ' ');
    format_put_count(out, row->calls, row->sampled > 0, 6);
    mb_buf_put_u1(out, ' ');
    if (row->calls > 0 && is_known(clock, row->total)) {
        /* In ns: a unit of the coarse clock is longer than many calls. */
        answer_put_time(out, answer_ns(clock, row->total) / (int64_t)(row->calls & INT64_MAX), 8);
    } else {
        mb_buf_printf(out, "%8s", "-");
    }
    mb_buf_put_string(out, "  ");
    format_put_method(look, &methods->names, out, row->id, 44);
    answer_put_marks(methods, out, row->id, false);
    answer_put_inferred(out, row->inferred, row->total);
    answer_put_sampled(methods, out, row->sampled, row->total);
    mb_buf_put_u1(out, '\n');
}

/* Methods of one thread, or of all. */
struct method_table {
    const struct trace_method *methods;
    size_t count;
    size_t top;
};

/* Chance has most of what a few samples say. The first rows stand all the same. */
static bool is_vague(const struct answer_methods *methods, const struct trace_method *row)
{
    return answer_sampled_percent(methods, row->sampled, row->total) >= VAGUE_PERCENT;
}

static bool is_cost(enum answer_counted counted, const struct trace_method *row)
{
    bool is_recorded = counted == ANSWER_WALL && row->sampled == 0;
    bool counts = row->self > 0 || is_recorded || (row->total > 0 && row->sampled == 0);

    return !answer_is_waiting(row) && counts;
}

static void put_vague(size_t count, int64_t own, int64_t own_sum, struct mb_buf *out)
{
    mb_buf_put_string(out, "  ");
    answer_put_time(out, own, 8);
    answer_put_percent(out, own, own_sum, 6);
    mb_buf_printf(out, " %8s %6s %8s  %zu more method%s of 1 to 4 samples each\n", "-", "-", "-",
                  count, count == 1 ? "" : "s");
}

static void put_methods(const struct answer_facts *facts, const struct format_look *look,
                        const struct method_table *table, enum answer_order order,
                        struct mb_buf *out)
{
    struct trace_method *rows = answer_sort_methods(table->methods, table->count, order);
    int64_t own_sum = sum_own(table->methods, table->count);
    int64_t vague_own = 0;
    size_t vague = 0;
    size_t shown = 0;
    size_t left = 0;

    if (rows == NULL) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < table->count; i++) {
        if (order == ANSWER_BY_COST && !is_cost(facts->counted, &rows[i])) {
            continue;
        }
        if (shown >= SURE_ROWS && is_vague(&facts->methods, &rows[i])) {
            vague++;
            vague_own = trace_add(vague_own, answer_ns(&facts->clock, rows[i].self));
        } else if (shown < table->top) {
            mb_buf_put_string(out, shown == 0 ? METHOD_HEADING : "");
            put_method_row(&facts->clock, &facts->methods, look, &rows[i], own_sum, out);
            if (shown++ < SURE_ROWS) {
                put_held(&facts->methods, look, rows[i].id, out);
            }
        } else {
            left++;
        }
    }
    mb_buf_put_string(out, shown + left == 0 ? "  (only waiting)\n" : "");
    if (vague > 0) {
        put_vague(vague, vague_own, answer_ns(&facts->clock, own_sum), out);
    }
    if (left > 0) {
        mb_buf_printf(out, "  (%zu more: --top)\n", left);
    }
    free(rows);
}

/* Methods of threads of one kind. Fails without memory. */
static bool collect_kind(struct trace_methods *methods, const struct answer_threads *threads,
                         bool is_virtual)
{
    bool fits = true;

    for (size_t i = 0; fits && i < threads->count; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        fits = thread->is_virtual != is_virtual ||
               trace_methods_add(methods, thread->nodes, thread->node_count, NULL) == MB_OK;
    }
    return fits;
}

static void put_kind(const struct answer_facts *facts, const struct format_look *look,
                     bool is_virtual, const char *heading, struct mb_buf *out)
{
    struct trace_methods methods = {0};
    struct method_table table = {.top = look->top};

    if (!collect_kind(&methods, &facts->threads, is_virtual)) {
        out->failed = true;
    }
    table.methods = trace_methods_rows(&methods, &table.count);
    if (table.count > 0) {
        format_put_heading(look, out, "%s", heading);
        put_methods(facts, look, &table, ANSWER_BY_COST, out);
    }
    trace_methods_finish(&methods);
}

static bool has_virtual(const struct answer_threads *threads)
{
    bool has = false;

    for (size_t i = 0; i < threads->count; i++) {
        has = has || threads->rows[i].is_virtual;
    }
    return has;
}

/* Virtual threads apart: how much of their time is work is unknown. */
void format_put_costs(const struct answer_facts *facts, const struct format_look *look,
                      struct mb_buf *out)
{
    const struct method_table table = {facts->methods.rows, facts->methods.count, look->top};

    if (has_virtual(&facts->threads)) {
        put_kind(facts, look, false, "What costs most", out);
        put_kind(facts, look, true, "In virtual threads, working or waiting", out);
    } else if (facts->methods.count > 0) {
        format_put_heading(look, out, "What costs most");
        put_methods(facts, look, &table, ANSWER_BY_COST, out);
    }
    if (facts->methods.count > 0 && (!facts->sampling.is_known || facts->sampling.is_of_gaps)) {
        mb_buf_put_string(
            out, "  Code without probes (JDK, native) is in its callers' own time: see --sample\n");
    }
}

void format_put_calls(const struct answer_facts *facts, const struct format_look *look,
                      struct mb_buf *out)
{
    const struct method_table table = {facts->methods.rows, facts->methods.count, look->top};

    format_put_heading(look, out, "Most calls");
    put_methods(facts, look, &table, ANSWER_BY_CALLS, out);
}

static int by_waiting(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    int order = (told_waiting(x) < told_waiting(y)) - (told_waiting(x) > told_waiting(y));

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static void put_waiting_row(const struct answer_clock *clock, const struct answer_methods *methods,
                            const struct format_look *look, const struct trace_method *row,
                            struct mb_buf *out)
{
    mb_buf_put_string(out, "  ");
    format_put_time(out, answer_ns(clock, told_waiting(row)));
    format_put_time(out, answer_ns(clock, trace_subtract(row->self, row->idle)));
    format_put_count(out, row->calls, row->sampled > 0, 6);
    mb_buf_put_string(out, "  ");
    format_put_method(look, &methods->names, out, row->id, 29);
    answer_put_marks(methods, out, row->id, false);
    answer_put_inferred(out, row->inferred, row->total);
    answer_put_sampled(methods, out, row->sampled, row->total);
    mb_buf_put_u1(out, '\n');
}

void format_put_waiting(const struct answer_facts *facts, const struct format_look *look,
                        struct mb_buf *out)
{
    MB_VEC(struct trace_method) kept = {0};
    size_t most = look->top < WAITING_TOP ? look->top : WAITING_TOP;

    for (size_t i = 0; i < facts->methods.count; i++) {
        if (answer_is_waiting(&facts->methods.rows[i]) &&
            told_waiting(&facts->methods.rows[i]) > 0) {
            MB_VEC_PUSH(&kept, facts->methods.rows[i]);
        }
    }
    size_t count = MB_VEC_COUNT(&kept);
    if (count > 0) {
        MB_VEC_SORT(&kept, by_waiting);
        format_put_heading(look, out, "Where threads wait%s",
                           facts->threads.have_bounds ? " (at least)" : "");
        mb_buf_printf(out, "  %8s %8s %6s  %s\n", "waited", "own", "calls", "method");
    }
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < most; i++) {
        if (i < SURE_ROWS || !is_vague(&facts->methods, &kept.items[i])) {
            put_waiting_row(&facts->clock, &facts->methods, look, &kept.items[i], out);
            shown++;
        }
    }
    if (count > shown) {
        mb_buf_printf(out, "  (%zu more)\n", count - shown);
    }
    if (count > 0 && answer_tells_no_waits(facts)) {
        mb_buf_put_string(out, "  Asleep, for data or for others: see --sample\n");
    }
    mb_buf_finish_part(out, &kept.buf);
}

void format_put_muted(const struct answer_facts *facts, const struct format_look *look,
                      struct mb_buf *out)
{
    mb_buf_put_string(out, "Muted methods, with their calls until then\n");
    if (facts->methods.mute_count == 0) {
        mb_buf_put_string(out, "  (none)\n");
        return;
    }
    mb_buf_printf(out, "  %6s %8s %8s %9s  %s\n", "calls", "total", "mean", "muted at", "method");
    for (size_t i = 0; i < facts->methods.mute_count; i++) {
        const struct answer_mute *mute = &facts->methods.mutes[i];
        int64_t calls = (int64_t)(mute->calls & INT64_MAX);
        mb_buf_put_string(out, "  ");
        answer_put_count(out, mute->calls, 6);
        mb_buf_put_u1(out, ' ');
        format_put_time(out, mute->total_ns);
        format_put_time(out, calls > 0 ? mute->total_ns / calls : 0);
        if (mute->was_before) {
            mb_buf_printf(out, "%9s", "before");
        } else {
            answer_put_time(out, (int64_t)(mute->time_ns & INT64_MAX), 9);
        }
        mb_buf_put_string(out, "  ");
        format_put_method(look, &facts->methods.names, out, mute->id, 39);
        mb_buf_put_string(out, mute->is_budget ? " (budget)\n" : "\n");
    }
}

/* ---- Threads ---- */

/* The column of waiting stands where anything is known of that. */
static bool knows_waiting(const struct answer_threads *threads)
{
    bool knows = false;

    for (size_t i = 0; i < threads->count; i++) {
        knows = knows || threads->rows[i].time.has_cpu;
    }
    return knows;
}

static void put_pool_row(const struct answer_threads *threads, const struct answer_pool *pool,
                         struct mb_buf *out)
{
    mb_buf_put_string(out, "  ");
    format_put_time(out, pool->busy_ns);
    if (knows_waiting(threads)) {
        format_put_time(out, pool->worked_ns);
        format_put_time(out, pool->ready_ns);
        format_put_time(out, pool->waited_ns);
    }
    format_put_count(out, pool->calls, pool->samples > 0, 6);
    mb_buf_put_string(out, "  ");
    answer_put_pool(out, pool);
    answer_put_members(out, pool->first, pool->thread_count);
    mb_buf_put_string(out, pool->first->is_main ? " (main)\n" : "\n");
}

static bool has_idle(const union answer_pools *pools)
{
    const struct answer_pool *rows = pools->items;
    bool has = false;

    for (size_t i = 0; i < MB_VEC_COUNT(pools); i++) {
        has = has || rows[i].idle_ns > 0;
    }
    return has;
}

void format_put_pools(const struct answer_threads *threads, const struct format_look *look,
                      const union answer_pools *pools, struct mb_buf *out)
{
    const struct answer_pool *rows = pools->items;
    size_t count = MB_VEC_COUNT(pools);

    if (threads->count < 2 && !knows_waiting(threads)) {
        return;
    }
    if (knows_waiting(threads)) {
        format_put_heading(look, out, "Threads (%sworked, ready, waited%s)",
                           has_idle(pools) ? "without idle loops; " : "",
                           threads->have_bounds ? ": at least" : "");
        mb_buf_printf(out, "  %8s %8s %8s %8s %6s  %s\n", "in calls", "worked", "ready", "waited",
                      "calls", "name");
    } else {
        format_put_heading(look, out, "Threads");
        mb_buf_printf(out, "  %8s %6s  %s\n", "in calls", "calls", "name");
    }
    for (size_t i = 0; i < count && i < MAX_POOLS; i++) {
        put_pool_row(threads, &rows[i], out);
    }
    if (count > MAX_POOLS) {
        mb_buf_printf(out, "  (%zu more)\n", count - MAX_POOLS);
    }
}

static void put_thread(const struct answer_facts *facts, const struct format_look *look,
                       const struct answer_thread *thread, struct mb_buf *out)
{
    const struct method_table table = {thread->methods, thread->method_count,
                                       look->top < THREAD_TOP ? look->top : THREAD_TOP};

    mb_buf_put_string(out, "\n  ");
    mb_buf_put_printable(out, thread->name);
    mb_buf_printf(out, " (id %" PRIu32 "%s%s)", thread->id, thread->is_main ? ", main" : "",
                  thread->is_live ? "" : ", ended");
    answer_put_members(out, thread, thread->member_count);
    mb_buf_put_string(out, ": ");
    answer_put_time(out, thread->time.busy_ns, 0);
    mb_buf_put_string(out, " in ");
    answer_put_count(out, thread->calls, 0);
    mb_buf_put_string(out, " calls, from ");
    answer_put_time(out, (int64_t)thread->time.start_ns, 0);
    mb_buf_put_string(out, " to ");
    answer_put_time(out, (int64_t)thread->time.end_ns, 0);
    mb_buf_put_u1(out, '\n');
    if (thread->time.has_cpu) {
        mb_buf_put_string(out, facts->threads.have_bounds ? "  at least " : "  ");
        answer_put_time(out, thread->time.worked_ns, 0);
        mb_buf_put_string(out, " worked, ");
        answer_put_time(out, thread->time.ready_ns, 0);
        mb_buf_put_string(out, " ready, ");
        answer_put_time(out, thread->time.waited_ns, 0);
        mb_buf_put_string(out, thread->time.knows_ready ? " waited\n" : " waited or ready\n");
    }
    uint64_t lapped_words = answer_losses_of(thread)->lapped_words;
    if (lapped_words > 0 && !thread->is_profiled) {
        mb_buf_printf(out, "  %" PRIu64 " older records are overwritten\n", lapped_words);
    }
    if (thread->method_count > 0) {
        put_methods(facts, look, &table, ANSWER_BY_COST, out);
    }
}

void format_put_threads(const struct answer_facts *facts, const struct format_look *look,
                        struct mb_buf *out)
{
    format_put_heading(look, out, "Each thread");
    for (size_t i = 0; i < facts->threads.count; i++) {
        put_thread(facts, look, &facts->threads.rows[i], out);
    }
}
