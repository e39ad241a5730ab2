#include "export/export.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ONE_NS (UINT64_C(1) << 32 | 1)

/* 2.5 times the mean of the cheapest leaf with many calls. */
Test(overhead, learns_what_a_probe_costs)
{
    struct trace_node nodes[] = {
        {.id = 1, .parent = TRACE_NO_NODE, .calls = 1, .total = 900000, .own = 0},
        {.id = 2, .parent = 0, .calls = 4999, .total = 100000, .own = 5000},
        {.id = 3, .parent = 1, .calls = 1999, .total = 60000, .own = 60000},
        {.id = 4, .parent = 0, .calls = 10, .total = 20, .own = 20},
    };
    struct export_thread thread = {0};
    struct export_report report = {.ns_per_unit = ONE_NS, .threads = &thread, .thread_count = 1};

    cr_expect(eq(int, (int)(export_probe_ns(&report) + 0.1), 20), "no leaf: what is usual");
    thread.nodes = nodes;
    thread.node_count = MB_COUNT(nodes);
    cr_expect(eq(int, (int)(export_probe_ns(&report) + 0.1), 75));
    nodes[2].own = nodes[2].total = 1;
    cr_expect(eq(int, (int)(export_probe_ns(&report) + 0.1), 10), "not next to nothing");
    nodes[2].own = nodes[2].total = 1000000000;
    cr_expect(eq(int, (int)(export_probe_ns(&report) + 0.1), 20), "no cheap leaf");
    report.is_coarse_clock = true;
    cr_expect(eq(int, (int)(export_probe_ns(&report) + 0.1), 2));
}

/* Those of all threads; those that are lost have cost as much as the others, and what a profile has
 * not seen took part of its time. */
Test(overhead, counts_all_records)
{
    const struct export_thread threads[] = {
        {.losses = {.words = 2}, .lapped_words = 5},
        {.losses = {.words = 7}, .dropped_calls = 2},
        {.losses = {.words = 100}, .lapped_words = 90, .unseen_words = 30, .is_profiled = true},
    };
    struct export_report report = {.ns_per_unit = ONE_NS, .threads = threads, .thread_count = 2};

    cr_expect(eq(i64, export_overhead_ns(&report), (2 + 5 + 7 + 2 * 2) * 10));
    cr_expect(eq(i64, export_shown_overhead_ns(&report), 90));
    report.thread_count = 3;
    cr_expect(eq(i64, export_overhead_ns(&report), (2 + 5 + 7 + 2 * 2 + 100 + 30) * 10));
    report.is_coarse_clock = true;
    cr_expect(eq(i64, export_shown_overhead_ns(&report), 109 + 30));
}
