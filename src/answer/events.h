/* What monitors told, and which of it is of the process and the time that a trace is of. */

#ifndef ANSWER_EVENTS_H
#define ANSWER_EVENTS_H

#include "answer/facts.h"

/* An issue, of whatever process. */
struct answer_told {
    struct answer_event event; /* its times are not set yet */
    struct answer_when when;
};

/* Append to rows (struct answer_event) those of the report's time (export/when.h), in order. */
void answer_choose_events(struct mb_buf *rows, const struct answer_facts *report, uint64_t end_ns,
                          const struct answer_told *told, size_t count);

#endif
