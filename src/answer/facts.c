#include "answer/facts.h"

#include "abi/tracefile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void answer_put_name(struct mb_buf *out, const struct answer_names *names, uint32_t id)
{
    struct mb_text name = names->find(names->context, id);

    if (name.size > 0) {
        mb_buf_put_printable(out, name);
    } else {
        mb_buf_printf(out, "#%" PRIu32, id);
    }
}

void answer_put_json_name(struct mb_buf *out, const struct answer_names *names, uint32_t id)
{
    struct mb_text name = names->find(names->context, id);

    if (name.size > 0) {
        mb_buf_put_json_string(out, name);
    } else {
        mb_buf_printf(out, "\"#%" PRIu32 "\"", id);
    }
}

uint64_t answer_unwoven_classes(const struct answer_weaving *weaving)
{
    return weaving->counts[ABI_WEAVING_DAMAGED] + weaving->counts[ABI_WEAVING_MEMORY] +
           weaving->counts[ABI_WEAVING_REFUSED] + weaving->counts[ABI_WEAVING_CROWDED] +
           weaving->counts[ABI_WEAVING_IDS] + weaving->counts[ABI_WEAVING_BOOT];
}

const char *answer_tree_source(const struct answer_recording *recording)
{
    return recording->has_profile ? "the whole run, by its profile" : "what the rings still held";
}

int64_t answer_ns(const struct answer_clock *clock, int64_t units)
{
    bool is_negative = units < 0;
    uint64_t size = is_negative ? 0 - (uint64_t)units : (uint64_t)units;
    int64_t ns = (int64_t)(abi_trace_ns(clock->ns_per_unit, size) & INT64_MAX);

    return is_negative ? -ns : ns;
}

int answer_by_suspended_id(const void *a, const void *b)
{
    const struct answer_suspended *x = a;
    const struct answer_suspended *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

const struct answer_suspended *answer_find_suspended(const struct answer_methods *methods,
                                                     uint32_t id)
{
    const struct answer_suspended wanted = {.id = id};

    return methods->suspended_count == 0
               ? NULL
               : bsearch(&wanted, methods->suspended, methods->suspended_count, sizeof(wanted),
                         answer_by_suspended_id);
}

const struct answer_event *answer_next_drawn(const struct answer_monitors *monitors,
                                             const struct answer_event *event)
{
    const struct answer_event *end = monitors->events + monitors->event_count;
    const struct answer_event *next = event + 1;

    while (next < end && !next->issue->drawn.has_fps) {
        next++;
    }
    return next < end && next->start_ns <= event->start_ns + event->duration_ns ? next : NULL;
}

/* Greater first, the smaller id first among equals. */
static int compare_rows(int64_t a, int64_t b, uint32_t id_a, uint32_t id_b)
{
    return a != b ? (a < b) - (a > b) : (id_a > id_b) - (id_a < id_b);
}

static int by_self(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare_rows(x->self, y->self, x->id, y->id);
}

bool answer_is_waiting(const struct trace_method *row)
{
    return row->waited > row->self / 2 || row->idle > row->self / 2;
}

static int by_cost(const void *a, const void *b)
{
    int order = answer_is_waiting(a) - answer_is_waiting(b);

    return order != 0 ? order : by_self(a, b);
}

static int by_calls(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare_rows((int64_t)x->calls, (int64_t)y->calls, x->id, y->id);
}

static int by_id(const void *a, const void *b)
{
    const struct trace_method *x = a;
    const struct trace_method *y = b;
    return compare_rows(0, 0, x->id, y->id);
}

struct trace_method *answer_sort_methods(const struct trace_method *methods, size_t count,
                                         enum answer_order order)
{
    static int (*const orders[])(const void *, const void *) = {[ANSWER_BY_COST] = by_cost,
                                                                [ANSWER_BY_SELF] = by_self,
                                                                [ANSWER_BY_CALLS] = by_calls,
                                                                [ANSWER_BY_ID] = by_id};
    struct trace_method *rows = calloc(count + 1, sizeof(*rows));

    if (rows != NULL && count > 0) {
        memcpy(rows, methods, count * sizeof(*rows));
        qsort(rows, count, sizeof(*rows), orders[order]);
    }
    return rows;
}

const struct answer_losses *answer_losses_of(const struct answer_thread *thread)
{
    static const struct answer_losses none;

    return thread->losses != NULL ? thread->losses : &none;
}

static void add_losses(struct answer_losses *sum, const struct answer_losses *losses,
                       bool is_profiled)
{
    sum->lapped_words += is_profiled ? 0 : losses->lapped_words;
    sum->missing_words += losses->missing_words;
    sum->unseen_words += losses->unseen_words;
    sum->exact_words += losses->exact_words;
    sum->read.words += losses->read.words;
    sum->read.lost_entries += losses->read.lost_entries;
    sum->read.lost_exits += losses->read.lost_exits;
    sum->read.inferred_exits += losses->read.inferred_exits;
    sum->read.deep_calls += losses->read.deep_calls;
    sum->read.time_went_back += losses->read.time_went_back;
    sum->read.open_calls += losses->read.open_calls;
}

struct answer_sums answer_sum(const struct answer_threads *threads)
{
    struct answer_sums sums = {
        .start_ns = UINT64_MAX,
        .losses.missing_words = threads->missing_words,
    };

    for (size_t i = 0; i < threads->count; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        add_losses(&sums.losses, answer_losses_of(thread), thread->is_profiled);
        sums.calls += thread->calls;
        if (answer_thread_has_calls(thread) && thread->time.start_ns < sums.start_ns) {
            sums.start_ns = thread->time.start_ns;
        }
        if (thread->time.end_ns > sums.end_ns) {
            sums.end_ns = thread->time.end_ns;
        }
    }
    sums.start_ns = sums.start_ns < sums.end_ns ? sums.start_ns : sums.end_ns;
    return sums;
}

int64_t answer_tick_ns(const struct answer_clock *clock)
{
    return clock->is_coarse && !clock->is_exact ? (int64_t)(clock->resolution_ns & INT64_MAX) : 0;
}
