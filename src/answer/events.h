/* What monitors told, and which of it is of the process and the time that a trace is of. */

#ifndef ANSWER_EVENTS_H
#define ANSWER_EVENTS_H

#include "answer/facts.h"
#include "base/vec.h"

/* Issues of any process and time, and of each the label of its cause. */
struct answer_issues {
    const struct answer_issue *rows;
    const struct mb_text *labels;
    size_t count;
};

MB_VEC_TYPE(answer_events, struct answer_event);

/* Append those of the facts' time (answer/place.h), in order. */
void answer_choose_events(union answer_events *rows, const struct answer_process *process,
                          uint64_t end_ns, const struct answer_issues *all);

#endif
