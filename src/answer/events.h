/* What monitors told, and which of it is of the process and the time that a trace is of. */

#ifndef ANSWER_EVENTS_H
#define ANSWER_EVENTS_H

#include "answer/facts.h"

/* Issues of any process and time, and of each the label of its cause. */
struct answer_issues {
    const struct answer_issue *rows;
    const struct mb_text *labels;
    size_t count;
};

/* Append to rows (struct answer_event) those of the facts' time (answer/place.h), in order. */
void answer_choose_events(struct mb_buf *rows, const struct answer_process *process,
                          uint64_t end_ns, const struct answer_issues *all);

#endif
