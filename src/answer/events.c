#include "answer/events.h"

#include "answer/place.h"

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
