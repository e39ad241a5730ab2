#include "hot_path.h"

Test(path, goes_down_while_one_call_has_half)
{
    struct answer_facts facts = make_report();
    union answer_pools pools = {0};

    facts.threads.count = 1;
    struct answer_path path = find_path(&facts, &pools);
    cr_assert(eq(i64, path.total, 100));
    cr_assert(eq(sz, path.steps.buf.size, 2 * sizeof(uint32_t)));
    cr_assert(eq(u32, answer_path_core(&path)->id, 2));
    answer_path_finish(&path);
    mb_buf_finish(&pools.buf);
}

Test(path, is_that_of_the_whole_pool)
{
    struct answer_facts facts = make_report();
    union answer_pools pools = {0};
    struct answer_path path = find_path(&facts, &pools);

    cr_assert(eq(i64, path.total, 200));
    cr_assert(eq(u32, answer_path_core(&path)->id, 1), "2 has 60 of 200 only");
    answer_path_finish(&path);
    mb_buf_finish(&pools.buf);
}

/* A coarse clock knows nothing of what is no longer than its tick. */
Test(path, ends_at_the_tick)
{
    struct answer_facts facts = make_report();
    union answer_pools pools = {0};

    facts.threads.count = 1;
    facts.clock.is_coarse = true;
    facts.clock.resolution_ns = 120000000;
    struct answer_path path = find_path(&facts, &pools);
    cr_assert(eq(u32, answer_path_core(&path)->id, 1));
    answer_path_finish(&path);
    mb_buf_finish(&pools.buf);
}

/* 2 called 1 again, which called 3: the time in 3 is in the total of 2, but not below it. */
Test(path, goes_down_a_folded_recursion)
{
    static const struct trace_node folded[] = {
        {.id = 1, .parent = TRACE_NO_NODE, .is_folded = true, .calls = 2, .total = 100, .own = 1},
        {.id = 2, .parent = 0, .depth = 1, .calls = 1, .total = 98, .own = 3},
        {.id = 3, .parent = 0, .depth = 1, .calls = 1, .total = 96, .own = 96},
    };
    static const struct answer_thread thread = {.name = MB_TEXT_ROW("t"),
                                                .nodes = folded,
                                                .node_count = MB_COUNT(folded),
                                                .time.busy_ns = 1};
    struct answer_facts facts = make_report();
    union answer_pools pools = {0};

    facts.threads.rows = &thread;
    facts.threads.count = 1;
    struct answer_path path = find_path(&facts, &pools);
    cr_assert(eq(u32, answer_path_core(&path)->id, 3));
    answer_path_finish(&path);
    mb_buf_finish(&pools.buf);
}
