#include "report/events.h"

#include <stdlib.h>

#define NS_PER_MS 1000000
#define MOST_DRIFT_MS 60000 /* of a clock that people set */

static bool is_of_this_boot(const struct export_report *report, const struct report_told *told)
{
    int64_t passed_ns = told->begin_ns - report->monotonic_start_ns + told->length_ns;
    int64_t drift_ms = (report->wall_start_ns + passed_ns) / NS_PER_MS - told->until_ms;

    return told->until_ms == 0 || report->wall_start_ns == 0 ||
           (drift_ms > -MOST_DRIFT_MS && drift_ms < MOST_DRIFT_MS);
}

static bool is_of_this_program(const struct export_report *report, const struct report_told *told)
{
    return told->mapping == 0 || report->mapping_hash == 0 || told->mapping == report->mapping_hash;
}

static int by_start(const void *a, const void *b)
{
    const struct export_event *x = a;
    const struct export_event *y = b;
    int order = (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);

    return order != 0 ? order
                      : (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);
}

void report_choose_events(struct mb_buf *rows, const struct export_report *report, uint64_t end_ns,
                          const struct report_told *told, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct export_event event = told[i].event;
        int64_t start = trace_subtract(told[i].begin_ns, report->monotonic_start_ns);
        int64_t end = trace_add(start, told[i].length_ns);
        if (end < 0 || end < start || (start > 0 && (uint64_t)start > end_ns) ||
            !is_of_this_boot(report, &told[i]) || !is_of_this_program(report, &told[i])) {
            continue;
        }
        event.start_ns = start > 0 ? (uint64_t)start : 0;
        event.duration_ns = (uint64_t)end - event.start_ns;
        mb_buf_put(rows, &event, sizeof(event));
    }
    if (rows->size > 0) {
        qsort(rows->bytes, rows->size / sizeof(struct export_event), sizeof(struct export_event),
              by_start);
    }
}
