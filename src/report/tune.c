#include "report/tune.h"

#include "abi/names.h"
#include "abi/record.h"
#include "export/text.h"
#include "rules/rule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARE 0.95 /* that probes can have had of a thread's time */
#define MATTERS 10      /* threads with at least a tenth of the calls of the one with most */

/* Why a method is chosen. */
enum { COSTLY = 1, MUTED = 2 };

struct tuning {
    const struct export_report *report;
    const struct abi_methodmap *map;
    double probe_ns; /* of a call */
    double allowed;  /* cost of probes, as part of the time without them */
    double before;   /* the same of the thread where it is most */
    double after;
    uint8_t *is_chosen; /* by id: COSTLY, MUTED or 0 */
    struct mb_buf *out;
};

static double units_to_ns(const struct export_report *report, int64_t units)
{
    return (double)units *
           ((double)(report->ns_per_unit >> 32) / (double)(report->ns_per_unit & UINT32_MAX));
}

/* ---- Choosing ---- */

static uint64_t most_calls(const struct export_report *report)
{
    uint64_t most = 0;

    for (size_t i = 0; i < report->thread_count; i++) {
        most = report->threads[i].calls > most ? report->threads[i].calls : most;
    }
    return most;
}

/* Time in calls that was not spent waiting. */
static double worked_ns(const struct export_thread *thread)
{
    return (double)thread->busy_ns - (double)thread->waited_ns;
}

/* What a call costs can only be guessed, but not more than there was time. */
static double probe_ns_of(const struct tuning *t, const struct export_thread *thread)
{
    double most = MOST_SHARE * worked_ns(thread) / (double)thread->calls;

    return t->probe_ns < most ? t->probe_ns : most;
}

static bool can_be_named(struct tuning *t, uint32_t id)
{
    const struct abi_method *method = abi_methodmap_find(t->map, id);
    size_t size = t->out->size;

    bool can = id != ABI_MESSAGE_ID && method != NULL &&
               rule_put_keepmethod(t->out, method->class_name, method->name, method->descriptor);
    t->out->size = size;
    return can;
}

static double overhead(const struct tuning *t, const struct export_thread *thread, uint64_t calls)
{
    double probe_ns = probe_ns_of(t, thread);

    return (double)calls * probe_ns / (worked_ns(thread) - (double)thread->calls * probe_ns);
}

static enum mb_status choose_in_thread(struct tuning *t, const struct export_thread *thread,
                                       struct mb_error *err)
{
    struct trace_method *rows =
        export_sort_methods(thread->methods, thread->method_count, EXPORT_BY_CALLS);
    uint64_t calls = thread->calls;

    if (rows == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < thread->method_count; i++) { /* what others have chosen */
        calls -= t->is_chosen[rows[i].id] != 0 ? rows[i].calls : 0;
    }
    for (size_t i = 0; i < thread->method_count && overhead(t, thread, calls) > t->allowed; i++) {
        uint8_t *is_chosen = &t->is_chosen[rows[i].id];
        if (*is_chosen == 0 && can_be_named(t, rows[i].id)) {
            *is_chosen = COSTLY;
            calls -= rows[i].calls;
        }
    }
    free(rows);
    return MB_OK;
}

static bool matters(const struct export_thread *thread, uint64_t most)
{
    return thread->calls > 0 && worked_ns(thread) > 0 && thread->calls >= most / MATTERS;
}

static uint64_t calls_left(const struct tuning *t, const struct export_thread *thread)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < thread->method_count; i++) {
        calls += t->is_chosen[thread->methods[i].id] == 0 ? thread->methods[i].calls : 0;
    }
    return calls;
}

static enum mb_status choose(struct tuning *t, struct mb_error *err)
{
    const struct export_report *report = t->report;
    uint64_t most = most_calls(report);

    for (size_t i = 0; i < report->mute_count; i++) {
        t->is_chosen[report->mutes[i].id] = can_be_named(t, report->mutes[i].id) ? MUTED : 0;
    }
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct export_thread *thread = &report->threads[i];
        if (matters(thread, most)) {
            double before = overhead(t, thread, thread->calls);
            t->before = before > t->before ? before : t->before;
            MB_TRY(choose_in_thread(t, thread, err));
        }
    }
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct export_thread *thread = &report->threads[i];
        double after = matters(thread, most) ? overhead(t, thread, calls_left(t, thread)) : 0;
        t->after = after > t->after ? after : t->after;
    }
    return MB_OK;
}

/* ---- Writing ---- */

static void put_head(struct tuning *t, size_t chosen_count)
{
    struct export_sums sums = export_sum(t->report);

    mb_buf_printf(t->out,
                  "# Probes make about %.1f %% of the time without them, at %.0f ns a call.\n",
                  100 * t->before, t->probe_ns);
    if (sums.lapped_words > 0 && !t->report->has_profile) {
        mb_buf_put_string(t->out, "# This is of the last part of the run, which the rings hold.\n");
    }
    if (chosen_count == 0) {
        mb_buf_put_string(t->out, t->before > t->allowed ? "# No rule can name their methods.\n"
                                                         : "# So there is nothing to leave out.\n");
        return;
    }
    mb_buf_printf(t->out, "# Without those of the %zu method%s below it is about %.1f %%.\n",
                  chosen_count, chosen_count == 1 ? "" : "s", 100 * t->after);
}

static void put_rule(struct tuning *t, const struct trace_method *row)
{
    const struct abi_method *method = abi_methodmap_find(t->map, row->id);
    double total_ns = units_to_ns(t->report, row->total);
    double probes_ns = (double)row->calls * t->probe_ns;

    (void)rule_put_keepmethod(t->out, method->class_name, method->name, method->descriptor);
    mb_buf_printf(t->out, " # %" PRIu64 " calls, mean ", row->calls);
    export_put_time(t->out, (int64_t)(total_ns / (double)row->calls), 0);
    mb_buf_put_string(t->out, ", probes ");
    export_put_time(t->out, (int64_t)probes_ns, 0);
    mb_buf_put_string(t->out, t->is_chosen[row->id] == MUTED ? ", then muted\n" : "\n");
}

static enum mb_status put_rules(struct tuning *t, struct mb_error *err)
{
    const struct export_report *report = t->report;
    struct trace_method *rows =
        export_sort_methods(report->methods, report->method_count, EXPORT_BY_CALLS);
    size_t count = 0;

    if (rows == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < report->method_count; i++) {
        count += t->is_chosen[rows[i].id] != 0;
    }
    put_head(t, count);
    for (size_t i = 0; i < report->method_count; i++) {
        if (t->is_chosen[rows[i].id] != 0) {
            put_rule(t, &rows[i]);
        }
    }
    free(rows);
    return mb_buf_check(t->out, err);
}

enum mb_status report_tune(const struct export_report *report, const struct abi_methodmap *map,
                           uint64_t percent, struct mb_buf *out, struct mb_error *err)
{
    struct tuning tuning = {
        .report = report,
        .map = map,
        .probe_ns = export_probe_ns(report),
        .allowed = (double)percent / 100,
        .is_chosen = calloc((size_t)ABI_ID_MASK + 1, 1),
        .out = out,
    };
    enum mb_status status = tuning.is_chosen != NULL ? choose(&tuning, err) : mb_fail_memory(err);

    if (status == MB_OK) {
        status = put_rules(&tuning, err);
    }
    free(tuning.is_chosen);
    return status;
}
