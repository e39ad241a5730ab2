/* What monitors told, and which of it is of the process and the time that a trace is of. */

#ifndef REPORT_EVENTS_H
#define REPORT_EVENTS_H

#include "export/export.h"

/* An issue, of whatever process. */
struct report_told {
    struct export_event event; /* its times are not set yet */
    struct export_when when;
};

/* Append to rows (struct export_event) those of the report's time (export/when.h), in order. */
void report_choose_events(struct mb_buf *rows, const struct export_report *report, uint64_t end_ns,
                          const struct report_told *told, size_t count);

#endif
