#include "answer/events.h"

#include "base/clock.h"

static int by_start(const void *a, const void *b)
{
    const struct answer_event *x = a;
    const struct answer_event *y = b;
    int order = (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);

    return order != 0 ? order
                      : (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);
}

void answer_choose_events(union answer_events *rows, const struct answer_process *process,
                          uint64_t end_ns, const struct answer_issues *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct answer_place place;
        if (answer_find_place(process, &all->rows[i].when, end_ns, &place)) {
            const struct answer_event event = {.issue = &all->rows[i],
                                               .label = all->labels[i],
                                               .start_ns = place.start_ns,
                                               .duration_ns = place.duration_ns};
            MB_VEC_PUSH(rows, event);
        }
    }
    MB_VEC_SORT(rows, by_start);
}

#define MOST_DRIFT_MS 60000 /* of a clock that people set */

/* start_ns: in the trace. */
static bool is_of_this_boot(const struct answer_process *process, const struct answer_when *when,
                            int64_t start_ns)
{
    int64_t until_ns = trace_add(trace_add(process->wall_start_ns, start_ns), when->lasted_ns);
    int64_t drift_ms = trace_subtract(until_ns / MB_NS_PER_MS, when->until_ms);

    return when->until_ms == ANSWER_UNKNOWN || process->wall_start_ns == 0 ||
           (drift_ms > -MOST_DRIFT_MS && drift_ms < MOST_DRIFT_MS);
}

static bool is_of_this_program(const struct answer_process *process, const struct answer_when *when)
{
    return when->mapping == 0 || process->mapping_hash == 0 ||
           when->mapping == process->mapping_hash;
}

bool answer_find_place(const struct answer_process *process, const struct answer_when *when,
                       uint64_t end_ns, struct answer_place *place)
{
    int64_t start = trace_subtract(when->begin_ns, process->monotonic_start_ns);
    int64_t end = trace_add(start, when->lasted_ns);

    if (when->begin_ns == ANSWER_UNKNOWN || when->lasted_ns == ANSWER_UNKNOWN ||
        process->monotonic_start_ns == 0 || end < 0 || end < start ||
        (start > 0 && (uint64_t)start > end_ns) || !is_of_this_boot(process, when, start) ||
        !is_of_this_program(process, when)) {
        return false;
    }
    place->start_ns = start > 0 ? (uint64_t)start : 0;
    place->duration_ns = (uint64_t)end - place->start_ns;
    return true;
}
