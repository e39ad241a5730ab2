#include "answer/events.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define SECOND INT64_C(1000000000)

static const struct answer_facts facts = {
    .process.monotonic_start_ns = 50 * SECOND,
};

Test(events, are_those_of_the_trace_in_order)
{
    const struct answer_issue issues[] = {
        {.when = {.begin_ns = 55 * SECOND, .lasted_ns = 1}},
        {.when = {.begin_ns = 61 * SECOND, .lasted_ns = 1}},
        {.when = {.begin_ns = 51 * SECOND, .lasted_ns = 1}},
        {.when = {.begin_ns = 51 * SECOND, .lasted_ns = 5}},
        {.when = {.begin_ns = 52 * SECOND, .lasted_ns = ANSWER_UNKNOWN}}};
    const struct mb_text labels[MB_COUNT(issues)] = {MB_TEXT_ROW("late")};
    const struct answer_issues all = {issues, labels, MB_COUNT(issues)};
    union answer_events rows = {0};

    answer_choose_events(&rows, &facts.process, 10 * SECOND, &all);
    const struct answer_event *events = rows.items;
    cr_assert(eq(sz, MB_VEC_COUNT(&rows), 3));
    cr_expect(eq(u64, events[0].duration_ns, 5));
    cr_expect(eq(u64, events[1].start_ns, SECOND));
    cr_expect(eq(u64, events[2].start_ns, 5 * SECOND));
    cr_expect(mb_text_is(events[2].label, "late"));
    cr_expect(events[2].issue == &issues[0]);
    mb_buf_finish(&rows.buf);
}
