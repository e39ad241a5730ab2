#include "formats/text.h"

#include "abi/tracefile.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static const struct answer_thread threads[] = {
    {.name = MB_TEXT_ROW("main"), .is_main = true, .time.busy_ns = 5, .calls = 1},
    {.name = MB_TEXT_ROW("exec-1"), .time.busy_ns = 4, .calls = 10},
    {.name = MB_TEXT_ROW("main"), .time.busy_ns = 1, .calls = 1},
    {.name = MB_TEXT_ROW("exec-27"), .time.busy_ns = 4, .calls = 20},
    {.name = MB_TEXT_ROW("exec"), .time.busy_ns = 3, .calls = 1},
    {.name = MB_TEXT_ROW("77"), .time.busy_ns = 2, .calls = 1},
    {.name = MB_TEXT_ROW("timer-1"), .time.busy_ns = 0, .calls = 1},
    {.name = MB_TEXT_ROW(""), .time.busy_ns = 0},
};

/* Busiest first; a number of its own makes no pool, nor does the name of the main thread. */
Test(pools, threads_that_differ_by_their_number_are_one)
{
    const struct answer_facts facts = {.threads.rows = threads, .threads.count = MB_COUNT(threads)};
    union answer_pools pools = {0};
    struct mb_buf text = {0};

    answer_pools_collect(&pools, &facts.clock, &facts.threads);
    const struct answer_pool *rows = pools.items;
    for (size_t i = 0; i < MB_VEC_COUNT(&pools); i++) {
        answer_put_pool(&text, &rows[i]);
        mb_buf_printf(&text, " %zu %lld %llu; ", rows[i].thread_count, (long long)rows[i].busy_ns,
                      (unsigned long long)rows[i].calls);
    }
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, "exec-* 2 8 30; main 1 5 1; exec 1 3 1; 77 1 2 1; "
                                         "main 1 1 1; timer-1 1 0 1;  1 0 0; ");
    cr_expect(answer_pool_has(&rows[0], &threads[3]));
    cr_expect(not(answer_pool_has(&rows[0], &threads[4])));
    cr_expect(not(answer_pool_has(&rows[1], &threads[2])));
    mb_buf_finish(&pools.buf);
    mb_buf_finish(&text);
}

/* What threads wait is no work; of virtual ones nobody knows what they wait. */
static const struct trace_node waiting[] = {{.parent = TRACE_NO_NODE, .waited = 70}};

Test(pools, who_worked_most_comes_first)
{
    static const struct answer_thread several[] = {
        {.name = MB_TEXT_ROW("main"),
         .is_main = true,
         .time.busy_ns = 86,
         .time.waited_ns = 81,
         .calls = 1,
         .nodes = waiting,
         .node_count = 1},
        {.name = MB_TEXT_ROW("starved"), .time.busy_ns = 86, .time.waited_ns = 82, .calls = 1},
        {.name = MB_TEXT_ROW("worker-1"), .time.busy_ns = 20, .calls = 1},
        {.name = MB_TEXT_ROW("requests"),
         .is_virtual = true,
         .member_count = 1000,
         .calls = 1,
         .time.busy_ns = 900,
         .time.start_ns = 0,
         .time.end_ns = 10},
        {.name = MB_TEXT_ROW("timer"), .member_count = 3, .time.busy_ns = 7, .calls = 1},
    };
    const struct answer_facts facts = {.clock.ns_per_unit = UINT64_C(1) << 32 | 1,
                                       .threads.rows = several,
                                       .threads.count = MB_COUNT(several)};
    union answer_pools pools = {0};
    struct mb_buf text = {0};

    answer_pools_collect(&pools, &facts.clock, &facts.threads);
    const struct answer_pool *rows = pools.items;
    for (size_t i = 0; i < MB_VEC_COUNT(&pools); i++) {
        answer_put_pool(&text, &rows[i]);
        answer_put_members(&text, rows[i].first, rows[i].thread_count);
        mb_buf_put_string(&text, answer_pool_waits(&rows[i]) ? " waits; " : "; ");
    }
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, "worker-1; requests (virtual, up to 1000 at a time); "
                                         "timer (3 threads); main waits; starved; ");
    mb_buf_finish(&pools.buf);
    mb_buf_finish(&text);
}

/* Their names, in order. */
static void put_pools(struct mb_buf *text, const struct answer_facts *facts)
{
    union answer_pools pools = {0};

    answer_pools_collect(&pools, &facts->clock, &facts->threads);
    const struct answer_pool *rows = pools.items;
    for (size_t i = 0; i < MB_VEC_COUNT(&pools); i++) {
        answer_put_pool(text, &rows[i]);
        mb_buf_put_u1(text, ' ');
    }
    mb_buf_put_u1(text, 0);
    mb_buf_finish(&pools.buf);
}

static void expect_order(const struct answer_thread *several, size_t count, const char *expected)
{
    const struct answer_facts facts = {.clock.ns_per_unit = UINT64_C(1) << 32 | 1,
                                       .threads.rows = several,
                                       .threads.count = count};
    struct mb_buf text = {0};

    put_pools(&text, &facts);
    cr_expect(eq(int, strcmp((char *)text.bytes, expected), 0), "%s", (char *)text.bytes);
    mb_buf_finish(&text);
}

/* Other agents work there while somebody attaches. */
Test(pools, the_thread_of_the_jvm_comes_last)
{
    static const struct answer_thread several[] = {
        {.name = MB_TEXT_ROW("Attach Listener"), .time.busy_ns = 900, .calls = 9},
        {.name = MB_TEXT_ROW("main"), .is_main = true, .time.busy_ns = 5, .calls = 1},
        {.name = MB_TEXT_ROW("timer"), .calls = 1},
    };

    expect_order(several, MB_COUNT(several), "main timer Attach Listener ");
}

static struct answer_thread make_waiting(struct mb_text name, int64_t busy_ns, int64_t worked_ns)
{
    return (struct answer_thread){.name = name,
                                  .calls = 1,
                                  .time.end_ns = 1000,
                                  .time.busy_ns = busy_ns,
                                  .time.worked_ns = worked_ns,
                                  .time.waited_ns = busy_ns - worked_ns,
                                  .time.knows_ready = true};
}

/* Who does a little work beside requests that wait has no answer, nor has who waits for them. */
Test(pools, where_all_wait_the_longest_wait_comes_first)
{
    struct answer_thread several[] = {
        make_waiting(mb_text_of("main"), 1000, 1),
        make_waiting(mb_text_of("cleaner"), 40, 40),
        make_waiting(mb_text_of("exec-1"), 300, 2),
        make_waiting(mb_text_of("exec-2"), 300, 2),
    };

    several[0].is_main = true;
    expect_order(several, MB_COUNT(several), "exec-* main cleaner ");
    several[2].time.busy_ns = several[3].time.busy_ns = 20;
    several[2].time.waited_ns = several[3].time.waited_ns = 18;
    expect_order(several, MB_COUNT(several), "main cleaner exec-* ");
    several[1].time.busy_ns = several[1].time.worked_ns = 101;
    expect_order(several, MB_COUNT(several), "cleaner exec-* main ");
    several[1].time.busy_ns = several[1].time.worked_ns = 40;
    several[1].time.knows_ready = false;
    several[1].time.waited_ns = 30;
    several[2].time.waited_ns = several[3].time.waited_ns = 0;
    expect_order(several, MB_COUNT(several), "exec-* cleaner main ");
}

/* Of the idle loop 700 ms waited and 250 ms were ready; the rest may have been work. */
Test(pools, work_is_what_the_idle_loop_cannot_have_done)
{
    static const struct trace_node nodes[] = {{.parent = TRACE_NO_NODE,
                                               .is_idle = true,
                                               .own = 1000000,
                                               .waited = 700000,
                                               .ready = 250000}};
    const struct answer_thread thread = {.name = MB_TEXT_ROW("keeper"),
                                         .calls = 1,
                                         .time.has_cpu = true,
                                         .time.knows_ready = true,
                                         .time.busy_ns = 2000000,
                                         .time.worked_ns = 300000,
                                         .time.ready_ns = 900000,
                                         .time.waited_ns = 800000,
                                         .time.idle_ns = 1000000,
                                         .nodes = nodes,
                                         .node_count = 1};
    const struct answer_facts facts = {.clock.ns_per_unit = abi_ns_per_unit(1, 1),
                                       .threads = {.rows = &thread, .count = 1}};
    union answer_pools pools = {0};

    answer_pools_collect(&pools, &facts.clock, &facts.threads);
    cr_assert(eq(sz, MB_VEC_COUNT(&pools), 1));
    cr_expect(eq(i64, pools.items[0].worked_ns, 250000));
    cr_expect(eq(i64, pools.items[0].ready_ns, 600000));
    mb_buf_finish(&pools.buf);
}
