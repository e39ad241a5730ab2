#include "export/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct export_thread threads[] = {
    {.name = MB_TEXT_ROW("main"), .is_main = true, .busy_ns = 5, .calls = 1},
    {.name = MB_TEXT_ROW("exec-1"), .busy_ns = 4, .calls = 10},
    {.name = MB_TEXT_ROW("main"), .busy_ns = 1, .calls = 1},
    {.name = MB_TEXT_ROW("exec-27"), .busy_ns = 4, .calls = 20},
    {.name = MB_TEXT_ROW("exec"), .busy_ns = 3, .calls = 1},
    {.name = MB_TEXT_ROW("77"), .busy_ns = 2, .calls = 1},
    {.name = MB_TEXT_ROW("timer-1"), .busy_ns = 0, .calls = 1},
    {.name = MB_TEXT_ROW(""), .busy_ns = 0},
};

/* Busiest first; a number of its own makes no pool, nor does the name of the main thread. */
Test(pools, threads_that_differ_by_their_number_are_one)
{
    const struct export_report report = {.threads = threads, .thread_count = MB_COUNT(threads)};
    struct mb_buf pools = {0};
    struct mb_buf text = {0};

    export_pools_collect(&pools, &report);
    const struct export_pool *rows = (const void *)pools.bytes;
    for (size_t i = 0; i < pools.size / sizeof(*rows); i++) {
        export_put_pool(&text, &rows[i]);
        mb_buf_printf(&text, " %zu %lld %llu; ", rows[i].thread_count, (long long)rows[i].busy_ns,
                      (unsigned long long)rows[i].calls);
    }
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, "exec-* 2 8 30; main 1 5 1; exec 1 3 1; 77 1 2 1; "
                                         "main 1 1 1; timer-1 1 0 1;  1 0 0; ");
    cr_expect(export_pool_has(&rows[0], &threads[3]));
    cr_expect(not(export_pool_has(&rows[0], &threads[4])));
    cr_expect(not(export_pool_has(&rows[1], &threads[2])));
    mb_buf_finish(&pools);
    mb_buf_finish(&text);
}

/* What threads wait is no work; of virtual ones nobody knows what they wait. */
static const struct trace_node waiting[] = {{.parent = TRACE_NO_NODE, .waited = 70}};

Test(pools, who_worked_most_comes_first)
{
    static const struct export_thread several[] = {
        {.name = MB_TEXT_ROW("main"),
         .is_main = true,
         .busy_ns = 86,
         .waited_ns = 81,
         .calls = 1,
         .nodes = waiting,
         .node_count = 1},
        {.name = MB_TEXT_ROW("starved"), .busy_ns = 86, .waited_ns = 82, .calls = 1},
        {.name = MB_TEXT_ROW("worker-1"), .busy_ns = 20, .calls = 1},
        {.name = MB_TEXT_ROW("requests"),
         .is_virtual = true,
         .member_count = 1000,
         .calls = 1,
         .busy_ns = 900,
         .start_ns = 0,
         .end_ns = 10},
        {.name = MB_TEXT_ROW("timer"), .member_count = 3, .busy_ns = 7, .calls = 1},
    };
    const struct export_report report = {.ns_per_unit = UINT64_C(1) << 32 | 1,
                                         .threads = several,
                                         .thread_count = MB_COUNT(several)};
    struct mb_buf pools = {0};
    struct mb_buf text = {0};

    export_pools_collect(&pools, &report);
    const struct export_pool *rows = (const void *)pools.bytes;
    for (size_t i = 0; i < pools.size / sizeof(*rows); i++) {
        export_put_pool(&text, &rows[i]);
        export_put_members(&text, rows[i].first, rows[i].thread_count);
        mb_buf_put_string(&text, export_pool_waits(&rows[i]) ? " waits; " : "; ");
    }
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, "worker-1; requests (virtual, up to 1000 at a time); "
                                         "timer (3 threads); main waits; starved; ");
    mb_buf_finish(&pools);
    mb_buf_finish(&text);
}
