#include "answer/tune.h"

#include "abi/names.h"
#include "abi/record.h"
#include "answer/cost.h"
#include "answer/words.h"
#include "base/number.h"
#include "rules/rule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARE 0.95 /* that probes can have had of a thread's time */
#define MATTERS 10      /* threads with at least a tenth of the calls of the one with most */
/* So far was answer_probe_ns from what was measured, of H2 and FOP on OpenJDK 17. */
#define LEAST_FACTOR 0.8
#define MOST_FACTOR 1.25

/* Why a method is chosen. */
enum { COSTLY = 1, MUTED = 2 };

/* Cost of probes, as part of the time without them, of the thread where it is most: with probes as
 * cheap as they may be, as they seem to be, and as costly as they may be. */
struct cost {
    double least;
    double likely;
    double most;
};

struct tuning {
    const struct answer_facts *facts;
    const struct abi_methodmap *map;
    double probe_ns; /* of a call */
    double allowed;  /* cost of probes, as part of the time without them */
    struct cost before;
    struct cost after;
    uint8_t *is_chosen; /* by id: COSTLY, MUTED or 0 */
    struct mb_buf *out;
};

/* ---- Choosing ---- */

/* Where the profile lacks words, calls are missing whose probes took their time all the same. */
static double made_calls(const struct answer_thread *thread, uint64_t calls)
{
    const struct answer_losses *losses = answer_losses_of(thread);
    double words = (double)losses->read.words;
    double unseen = (double)losses->unseen_words;

    return words > 0 ? (double)calls * (words + unseen) / words : (double)calls;
}

static double most_calls(const struct answer_threads *threads)
{
    double most = 0;

    for (size_t i = 0; i < threads->count; i++) {
        most = mb_max_f64(most, made_calls(&threads->rows[i], threads->rows[i].calls));
    }
    return most;
}

/* Time in calls with a processor, as far as it is known. */
static double worked_ns(const struct answer_thread *thread)
{
    return (double)thread->time.busy_ns - (double)thread->time.waited_ns -
           (double)thread->time.ready_ns;
}

/* A rule names a method byte by byte, so what a terminal would obey has none. */
static bool can_be_named(struct tuning *t, uint32_t id)
{
    const struct abi_method *method = abi_methodmap_find(t->map, id);
    size_t size = t->out->size;

    bool can = id < ABI_FIRST_KIND_ID && method != NULL &&
               rule_put_keepmethod(t->out, method->class_name, method->name, method->descriptor);
    struct mb_text rule = {(const char *)t->out->bytes + size, t->out->size - size};
    can = can && mb_text_printable(rule) == rule.size;
    t->out->size = size;
    return can;
}

/* What a call costs can only be guessed, but all of them not more than there was time. */
static double estimate_overhead(const struct answer_thread *thread, uint64_t calls, double probe_ns)
{
    double worked = worked_ns(thread);
    double all = made_calls(thread, thread->calls);
    double most_ns = MOST_SHARE * worked / all;
    double ns = probe_ns < most_ns ? probe_ns : most_ns;

    return made_calls(thread, calls) * ns / (worked - all * ns);
}

static void add_cost(const struct tuning *t, struct cost *cost, const struct answer_thread *thread,
                     uint64_t calls)
{
    cost->least =
        mb_max_f64(cost->least, estimate_overhead(thread, calls, t->probe_ns * LEAST_FACTOR));
    cost->likely = mb_max_f64(cost->likely, estimate_overhead(thread, calls, t->probe_ns));
    cost->most =
        mb_max_f64(cost->most, estimate_overhead(thread, calls, t->probe_ns * MOST_FACTOR));
}

static enum mb_status choose_in_thread(struct tuning *t, const struct answer_thread *thread,
                                       struct mb_error *err)
{
    struct trace_method *rows =
        answer_sort_methods(thread->methods, thread->method_count, ANSWER_BY_CALLS);
    uint64_t calls = thread->calls;

    if (rows == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < thread->method_count; i++) { /* what others have chosen */
        calls -= t->is_chosen[rows[i].id] != 0 ? rows[i].calls : 0;
    }
    for (size_t i = 0;
         i < thread->method_count && estimate_overhead(thread, calls, t->probe_ns) > t->allowed;
         i++) {
        uint8_t *is_chosen = &t->is_chosen[rows[i].id];
        if (*is_chosen == 0 && can_be_named(t, rows[i].id)) {
            *is_chosen = COSTLY;
            calls -= rows[i].calls;
        }
    }
    free(rows);
    return MB_OK;
}

static bool is_relevant(const struct answer_thread *thread, double most)
{
    return thread->calls > 0 && worked_ns(thread) > 0 &&
           made_calls(thread, thread->calls) >= most / MATTERS;
}

static uint64_t calls_left(const struct tuning *t, const struct answer_thread *thread)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < thread->method_count; i++) {
        calls += t->is_chosen[thread->methods[i].id] == 0 ? thread->methods[i].calls : 0;
    }
    return calls;
}

static enum mb_status choose_methods(struct tuning *t, struct mb_error *err)
{
    const struct answer_facts *facts = t->facts;
    double most = most_calls(&facts->threads);

    for (size_t i = 0; i < facts->methods.mute_count; i++) {
        t->is_chosen[facts->methods.mutes[i].id] =
            can_be_named(t, facts->methods.mutes[i].id) ? MUTED : 0;
    }
    for (size_t i = 0; i < facts->threads.count; i++) {
        const struct answer_thread *thread = &facts->threads.rows[i];
        if (is_relevant(thread, most)) {
            add_cost(t, &t->before, thread, thread->calls);
            MB_TRY(choose_in_thread(t, thread, err));
        }
    }
    for (size_t i = 0; i < facts->threads.count; i++) {
        const struct answer_thread *thread = &facts->threads.rows[i];
        if (is_relevant(thread, most)) {
            add_cost(t, &t->after, thread, calls_left(t, thread));
        }
    }
    return MB_OK;
}

/* ---- Writing ---- */

static void put_cost(struct tuning *t, const struct cost *cost)
{
    mb_buf_printf(t->out, "about %.1f %% (%.1f to %.1f %%)", 100 * cost->likely, 100 * cost->least,
                  100 * cost->most);
}

static void put_head(struct tuning *t, size_t chosen_count)
{
    struct answer_sums sums = answer_sum(&t->facts->threads);

    mb_buf_put_string(t->out, "# Probes make ");
    put_cost(t, &t->before);
    mb_buf_printf(t->out, " of the time without them, at %.0f ns a call.\n", t->probe_ns);
    if (sums.losses.unseen_words > 0) {
        mb_buf_put_string(t->out, "# Of the records ");
        answer_put_percent(
            t->out, (int64_t)(sums.losses.unseen_words & INT64_MAX),
            (int64_t)((sums.losses.read.words + sums.losses.unseen_words) & INT64_MAX), 0);
        mb_buf_put_string(t->out,
                          " % are missing, and reckoned in as if they were like the others.\n");
    }
    if (sums.losses.lapped_words > 0 && !t->facts->recording.has_profile) {
        mb_buf_put_string(t->out, "# This is of the last part of the run, which the rings hold.\n");
    }
    if (chosen_count == 0) {
        mb_buf_put_string(t->out, t->before.likely > t->allowed
                                      ? "# No rule can name their methods.\n"
                                      : "# So there is nothing to leave out.\n");
        return;
    }
    mb_buf_printf(t->out, "# Without those of the %zu method%s below it is ", chosen_count,
                  chosen_count == 1 ? "" : "s");
    put_cost(t, &t->after);
    mb_buf_put_string(t->out, ".\n");
}

static void put_rule(struct tuning *t, const struct trace_method *row)
{
    const struct abi_method *method = abi_methodmap_find(t->map, row->id);
    double total_ns = (double)answer_ns(&t->facts->clock, row->total);
    double probes_ns = (double)row->calls * t->probe_ns;

    (void)rule_put_keepmethod(t->out, method->class_name, method->name, method->descriptor);
    mb_buf_printf(t->out, " # %" PRIu64 " calls, mean ", row->calls);
    answer_put_time(t->out, (int64_t)(total_ns / (double)row->calls), 0);
    mb_buf_put_string(t->out, ", probes ");
    answer_put_time(t->out, (int64_t)probes_ns, 0);
    mb_buf_put_string(t->out, t->is_chosen[row->id] == MUTED ? ", then muted\n" : "\n");
}

static enum mb_status put_rules(struct tuning *t, struct mb_error *err)
{
    const struct answer_facts *facts = t->facts;
    struct trace_method *rows =
        answer_sort_methods(facts->methods.rows, facts->methods.count, ANSWER_BY_CALLS);
    size_t count = 0;

    if (rows == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < facts->methods.count; i++) {
        count += t->is_chosen[rows[i].id] != 0;
    }
    put_head(t, count);
    for (size_t i = 0; i < facts->methods.count; i++) {
        if (t->is_chosen[rows[i].id] != 0) {
            put_rule(t, &rows[i]);
        }
    }
    free(rows);
    return mb_buf_check(t->out, err);
}

enum mb_status answer_tune(const struct answer_facts *facts, const struct abi_methodmap *map,
                           uint64_t percent, struct mb_buf *out, struct mb_error *err)
{
    struct tuning tuning = {
        .facts = facts,
        .map = map,
        .probe_ns = answer_probe_ns(&facts->clock, &facts->threads),
        .allowed = (double)percent / 100,
        .is_chosen = calloc((size_t)ABI_ID_MASK + 1, 1),
        .out = out,
    };
    enum mb_status status =
        tuning.is_chosen != NULL ? choose_methods(&tuning, err) : mb_fail_memory(err);

    if (status == MB_OK) {
        status = put_rules(&tuning, err);
    }
    free(tuning.is_chosen);
    return status;
}
