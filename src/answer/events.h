/* What monitors told, and which of it is of the process and the time that a trace is of. */

#ifndef ANSWER_EVENTS_H
#define ANSWER_EVENTS_H

#include "answer/facts.h"
#include "base/vec.h"

/* ---- The place of something in a trace ---- */

/* Times in ns of the trace. */
struct answer_place {
    uint64_t start_ns;
    uint64_t duration_ns;
};

/* False if it was over before the trace began, began after end_ns, or is of another program. Times
 * of two boots of a machine are told apart by those since 1970, programs by their maps. What had
 * begun before starts at 0. */
bool answer_find_place(const struct answer_process *process, const struct answer_when *when,
                       uint64_t end_ns, struct answer_place *place);

/* ---- Events ---- */

/* Issues of any process and time, and of each the label of its cause. */
struct answer_issues {
    const struct answer_issue *rows;
    const struct mb_text *labels;
    size_t count;
};

MB_VEC_TYPE(answer_events, struct answer_event);

/* Append those of the facts' time (answer/events.h), in order. */
void answer_choose_events(union answer_events *rows, const struct answer_process *process,
                          uint64_t end_ns, const struct answer_issues *all);

#endif
