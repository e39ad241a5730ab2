#include "sample.h"

#include "formats/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define HEADING "       own     %    total  calls     mean  method\n"
#define UNSEEN "  Code without probes (JDK, native) is in its callers' own time: see --sample\n"

static void expect_costs(const struct answer_facts *facts, const char *expected)
{
    struct mb_buf out = {0};

    format_put_costs(facts, &sample_look, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
}

Test(tables, own_time_orders_what_costs)
{
    expect_costs(&sample_report,
                 "\nWhat costs most\n" HEADING "   40.0 ms  76.9  40.0 ms      9  4.44 ms  d.E\n"
                 "   10.0 ms  19.2  40.0 ms     50   800 us  #3\n"
                 "  (1 more: --top)\n" UNSEEN);
}

/* What took no longer than the tick of a coarse clock is known to be below. */
Test(tables, times_below_the_tick_are_bounds)
{
    struct answer_facts facts = sample_report;

    facts.clock.is_coarse = true;
    facts.clock.resolution_ns = 10000000;
    expect_costs(&facts,
                 "\nWhat costs most\n" HEADING "   40.0 ms  76.9  40.0 ms      9  4.44 ms  d.E\n"
                 "  <10.0 ms     -  40.0 ms     50   800 us  #3\n"
                 "  (1 more: --top)\n" UNSEEN);
}

Test(tables, threads_of_a_pool_are_one_line)
{
    static const struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("exec-1"), .time.busy_ns = 3000000, .calls = 2},
        {.name = MB_TEXT_ROW("main"), .is_main = true, .time.busy_ns = 1000000, .calls = 1},
        {.name = MB_TEXT_ROW("exec-2"), .time.busy_ns = 4000000, .calls = 3},
    };
    struct answer_facts facts = sample_report;
    union answer_pools pools = {0};
    struct mb_buf out = {0};

    facts.threads.rows = threads;
    facts.threads.count = 3;
    answer_pools_collect(&pools, &facts.clock, &facts.threads);
    format_put_pools(&facts.threads, &sample_look, &pools, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, "\nThreads\n"
                                        "  in calls  calls  name\n"
                                        "   7.00 ms      5  exec-* (2 threads)\n"
                                        "   1.00 ms      1  main (main)\n");
    mb_buf_finish(&pools.buf);
    mb_buf_finish(&out);
}

/* A method that only waited stands apart, and has no part in what is 100 %. */
Test(tables, waiting_is_no_finding)
{
    static const struct trace_method methods[] = {
        {.id = 1, .calls = 2, .total = 400, .self = 400, .waited = 390},
        {.id = 2, .calls = 9, .total = 20, .self = 20, .waited = 10},
        {.id = 3, .calls = 1, .total = 9, .self = 500, .waited = 499},
    };
    struct answer_facts facts = sample_report;

    facts.methods.rows = methods;
    expect_costs(&facts, "\nWhat costs most\n" HEADING
                         "   40.0 ms 100.0  40.0 ms      9  4.44 ms  d.E\n" UNSEEN);
    sample_expect_put(format_put_waiting, &facts,
                      "\nWhere threads wait\n"
                      "    waited      own  calls  method\n"
                      "    998 ms   1.00 s      1  #3\n"
                      "    780 ms   800 ms      2  a.B;\"c\"\n"
                      "  Asleep, for data or for others: see --sample\n");
    facts.sampling.is_known = true;
    sample_expect_put(format_put_waiting, &facts,
                      "\nWhere threads wait\n"
                      "    waited      own  calls  method\n"
                      "    998 ms   1.00 s      1  #3\n"
                      "    780 ms   800 ms      2  a.B;\"c\"\n");
    sample_expect_put(format_put_waiting, &sample_report, "");
}

/* Of methods with a sample or two it is chance which are seen; the first rows stand all the same.
 */
Test(tables, rows_of_few_samples_are_one)
{
    static const struct trace_method methods[] = {
        {.id = 1, .total = 200, .self = 40, .sampled = 200},
        {.id = 2, .total = 10, .self = 10, .sampled = 10},
        {.id = 3, .total = 9, .self = 9, .sampled = 9},
        {.id = 4, .total = 9, .self = 8, .sampled = 9},
        {.id = 5, .total = 200, .self = 5, .sampled = 200},
        {.id = 6, .total = 9, .self = 4, .sampled = 9},
    };
    struct answer_facts facts = sample_report;

    facts.methods.rows = methods;
    facts.methods.count = MB_COUNT(methods);
    facts.methods.sample_interval = 5;
    facts.sampling.is_known = true;
    sample_look.top = 20;
    expect_costs(&facts,
                 "\nWhat costs most\n" HEADING
                 "   80.0 ms  52.6   400 ms      -        -  a.B;\"c\" +-16%\n"
                 "   20.0 ms  13.2  20.0 ms      -        -  d.E +-71%\n"
                 "   18.0 ms  11.8  18.0 ms      -        -  #3 +-75%\n"
                 "   10.0 ms   6.6   400 ms      -        -  #5 +-16%\n"
                 "   24.0 ms  15.8        -      -        -  2 more methods of 1 to 4 samples "
                 "each\n");
}

/* From one percent on. */
Test(tables, inferred_ends_are_marked)
{
    static const struct trace_method methods[] = {
        {.id = 1, .calls = 2, .total = 400, .self = 400, .inferred = 399},
        {.id = 2, .calls = 9, .total = 200, .self = 20, .inferred = 2},
        {.id = 3, .calls = 1, .total = 1000, .self = 9, .inferred = 9},
    };
    struct answer_facts facts = sample_report;

    facts.methods.rows = methods;
    sample_look.top = 3;
    expect_costs(&facts, "\nWhat costs most\n" HEADING
                         "    800 ms  93.2   800 ms      2   400 ms  a.B;\"c\" ?99%\n"
                         "   40.0 ms   4.7   400 ms      9  44.4 ms  d.E ?1%\n"
                         "   18.0 ms   2.1   2.00 s      1   2.00 s  #3\n" UNSEEN);
}

Test(tables, muted_methods_are_listed_and_marked)
{
    static const struct answer_mute mutes[] = {
        {.id = 2, .calls = 100000, .total_ns = 500000, .time_ns = 2000000},
        {.id = 3, .was_before = true}};
    struct answer_facts facts = sample_report;

    sample_expect_put(format_put_muted, &facts,
                      "Muted methods, with their calls until then\n  (none)\n");
    facts.methods.mutes = mutes;
    facts.methods.mute_count = 2;
    sample_expect_put(format_put_muted, &facts,
                      "Muted methods, with their calls until then\n"
                      "   calls    total     mean  muted at  method\n"
                      "   100 k   500 us     5 ns   2.00 ms  d.E\n"
                      "       0     0 ns     0 ns    before  #3\n");
    expect_costs(&facts,
                 "\nWhat costs most\n" HEADING "   40.0 ms  76.9  40.0 ms      9  4.44 ms  d.E ~\n"
                 "   10.0 ms  19.2  40.0 ms     50   800 us  #3 ~\n"
                 "  (1 more: --top)\n" UNSEEN);
}

/* How much of it is work is not known, so that it is not compared with what is. */
Test(tables, virtual_threads_stand_apart)
{
    static const struct trace_node nodes[] = {
        {.id = 2, .parent = TRACE_NO_NODE, .calls = 9, .total = 500, .own = 500}};
    const struct answer_thread threads[] = {
        sample_thread,
        {.name = MB_TEXT_ROW("v"), .is_virtual = true, .nodes = nodes, .node_count = 1}};
    struct answer_facts facts = sample_report;

    facts.threads.rows = threads;
    facts.threads.count = 2;
    sample_look.top = 1;
    expect_costs(&facts, "\nWhat costs most\n" HEADING
                         "    400 ms  40.0   1.00 s      1   1.00 s  a.B;\"c\"\n  (2 more: --top)\n"
                         "\nIn virtual threads, working or waiting\n" HEADING
                         "    1.00 s 100.0   1.00 s      9   111 ms  d.E\n" UNSEEN);
}
