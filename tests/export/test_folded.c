#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(folded, lines_are_sorted_and_have_own_times_and_no_stray_semicolons)
{
    cr_assert_str_eq(sample_write(&export_folded, &sample_report),
                     "main:1;a.B:\"c\" 400000000\n"
                     "main:1;a.B:\"c\";d.E 400000000\n"
                     "main:1;a.B:\"c\";d.E;#3 200000000\n");
}

Test(folded, threads_of_one_name_share_their_lines)
{
    const struct export_thread threads[] = {
        sample_thread, {.name = MB_TEXT_ROW("idle")}, sample_thread};
    struct export_report twice = sample_report;

    twice.threads = threads;
    twice.thread_count = 3;
    cr_assert_str_eq(sample_write(&export_folded, &twice), "main:1;a.B:\"c\" 800000000\n"
                                                           "main:1;a.B:\"c\";d.E 800000000\n"
                                                           "main:1;a.B:\"c\";d.E;#3 400000000\n");
}

Test(folded, can_count_calls)
{
    struct export_report calls = sample_report;

    calls.weight = EXPORT_WEIGHT_CALLS;
    cr_assert_str_eq(sample_write(&export_folded, &calls), "main:1;a.B:\"c\" 1\n"
                                                           "main:1;a.B:\"c\";d.E 3\n"
                                                           "main:1;a.B:\"c\";d.E;#3 1\n");
}

/* Lines that repeat all callers of endless recursion would be quadratic. */
Test(folded, what_is_too_deep_counts_for_its_caller)
{
    enum { DEPTH = 1500, SHOWN = 1000 };
    static struct trace_node nodes[DEPTH];
    struct export_thread deep = {.name = MB_TEXT_ROW("t"), .nodes = nodes, .node_count = DEPTH};
    struct export_report report = sample_report;
    size_t lines = 0;

    for (uint32_t i = 0; i < DEPTH; i++) {
        nodes[i] = (struct trace_node){.id = 2,
                                       .parent = i > 0 ? i - 1 : TRACE_NO_NODE,
                                       .depth = i,
                                       .calls = 1,
                                       .total = DEPTH - i,
                                       .own = 1};
    }
    report.threads = &deep;
    report.thread_count = 1;
    struct export_writer writer = {.format = &export_folded};
    export_begin(&writer, &report);
    export_end(&writer);
    mb_buf_put_u1(&writer.out, 0);
    for (const char *at = (char *)writer.out.bytes; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    cr_expect(eq(sz, lines, SHOWN));
    const char *last = strrchr((char *)writer.out.bytes, ' ');
    cr_expect_str_eq(last, " 1002000000\n"); /* 501 units of 2 ms */
    export_writer_finish(&writer);
}
