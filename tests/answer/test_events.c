#include "answer/events.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define SECOND INT64_C(1000000000)

static const struct answer_facts report = {
    .monotonic_start_ns = 50 * SECOND,
};

Test(events, are_those_of_the_trace_in_order)
{
    const struct answer_told told[] = {{.when = {.begin_ns = 55 * SECOND, .lasted_ns = 1}},
                                       {.when = {.begin_ns = 61 * SECOND, .lasted_ns = 1}},
                                       {.when = {.begin_ns = 51 * SECOND, .lasted_ns = 1}},
                                       {.when = {.begin_ns = 51 * SECOND, .lasted_ns = 5}}};
    struct mb_buf rows = {0};

    answer_choose_events(&rows, &report, 10 * SECOND, told, MB_COUNT(told));
    const struct answer_event *events = (const void *)rows.bytes;
    cr_assert(eq(sz, rows.size, 3 * sizeof(*events)));
    cr_expect(eq(u64, events[0].duration_ns, 5));
    cr_expect(eq(u64, events[1].start_ns, SECOND));
    cr_expect(eq(u64, events[2].start_ns, 5 * SECOND));
    mb_buf_finish(&rows);
}
