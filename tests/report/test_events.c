#include "report/events.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define SECOND INT64_C(1000000000)

static const struct export_report report = {
    .wall_start_ns = 1000000 * SECOND,
    .monotonic_start_ns = 50 * SECOND,
    .mapping_hash = 7,
};

static const struct chosen_case {
    const char *what;
    struct report_told told;
    bool is_chosen;
    uint64_t start_ns;
    uint64_t duration_ns;
} cases[] = {
    {"within", {.begin_ns = 52 * SECOND, .length_ns = SECOND}, true, 2 * SECOND, SECOND},
    {"it had begun before",
     {.begin_ns = 49 * SECOND, .length_ns = 3 * SECOND},
     true,
     0,
     2 * SECOND},
    {"it was over before", {.begin_ns = 40 * SECOND, .length_ns = SECOND}, false, 0, 0},
    {"it came behind", {.begin_ns = 61 * SECOND, .length_ns = SECOND}, false, 0, 0},
    {"it lasts too long", {.begin_ns = 52 * SECOND, .length_ns = INT64_MAX}, false, 0, 0},
    {"its time is that of the boot",
     {.begin_ns = 52 * SECOND, .length_ns = SECOND, .until_ms = 1000003000},
     true,
     2 * SECOND,
     SECOND},
    {"it is of another boot",
     {.begin_ns = 52 * SECOND, .length_ns = SECOND, .until_ms = 1000203000},
     false,
     0,
     0},
    {"it is of this program", {.begin_ns = 50 * SECOND, .length_ns = 0, .mapping = 7}, true, 0, 0},
    {"it is of another program",
     {.begin_ns = 50 * SECOND, .length_ns = 0, .mapping = 8},
     false,
     0,
     0},
};

Test(events, are_those_of_the_trace)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        struct mb_buf rows = {0};
        report_choose_events(&rows, &report, 10 * SECOND, &cases[i].told, 1);
        const struct export_event *event = (const void *)rows.bytes;
        cr_expect(eq(sz, rows.size / sizeof(*event), cases[i].is_chosen), "%s", cases[i].what);
        if (rows.size > 0) {
            cr_expect(eq(u64, event->start_ns, cases[i].start_ns), "%s", cases[i].what);
            cr_expect(eq(u64, event->duration_ns, cases[i].duration_ns), "%s", cases[i].what);
        }
        mb_buf_finish(&rows);
    }
}

Test(events, are_in_order)
{
    const struct report_told told[] = {{.begin_ns = 55 * SECOND, .length_ns = 1},
                                       {.begin_ns = 51 * SECOND, .length_ns = 1},
                                       {.begin_ns = 51 * SECOND, .length_ns = 5}};
    struct mb_buf rows = {0};

    report_choose_events(&rows, &report, 10 * SECOND, told, MB_COUNT(told));
    const struct export_event *events = (const void *)rows.bytes;
    cr_assert(eq(sz, rows.size, 3 * sizeof(*events)));
    cr_expect(eq(u64, events[0].duration_ns, 5));
    cr_expect(eq(u64, events[1].start_ns, SECOND));
    cr_expect(eq(u64, events[2].start_ns, 5 * SECOND));
    mb_buf_finish(&rows);
}
