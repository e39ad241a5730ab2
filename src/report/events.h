/* What monitors told, and which of it is of the process and the time that a trace is of. */

#ifndef REPORT_EVENTS_H
#define REPORT_EVENTS_H

#include "export/export.h"

/* An issue, of whatever process. */
struct report_told {
    struct export_event event; /* its times are not set yet */
    int64_t begin_ns;          /* on CLOCK_MONOTONIC */
    int64_t length_ns;
    int64_t until_ms; /* since 1970; 0: not known */
    uint64_t mapping; /* of the method map; 0: not known */
};

/* Append to rows (struct export_event) those that began or ended between the trace's start and end, in
 * order. Times of two boots of a machine are told apart by those since 1970, programs by their maps. */
void report_choose_events(struct mb_buf *rows, const struct export_report *report, uint64_t end_ns,
                          const struct report_told *told, size_t count);

#endif
