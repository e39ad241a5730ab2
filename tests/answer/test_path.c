#include "sample.h"

#include "answer/path.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* 1 calls 2 (60 of 100) and 3 (40); 2 calls four others. */
static const struct trace_node nodes[] = {
    {.id = 1, .parent = TRACE_NO_NODE, .calls = 1, .total = 100},
    {.id = 3, .parent = 0, .depth = 1, .calls = 1, .total = 40, .own = 40},
    {.id = 2, .parent = 0, .depth = 1, .is_folded = true, .calls = 7, .total = 60, .own = 4},
    {.id = 4, .parent = 2, .depth = 2, .calls = 1, .total = 20, .own = 20},
    {.id = 5, .parent = 2, .depth = 2, .calls = 1, .total = 4, .own = 4},
    {.id = 6, .parent = 2, .depth = 2, .calls = 1, .total = 22, .own = 22},
    {.id = 7, .parent = 2, .depth = 2, .calls = 1, .total = 10, .own = 10},
};
static const struct answer_thread threads[] = {
    {.name = MB_TEXT_ROW("t-1"), .nodes = nodes, .node_count = MB_COUNT(nodes), .time.busy_ns = 2},
    {.name = MB_TEXT_ROW("t-2"), .nodes = nodes, .node_count = 1, .time.busy_ns = 1},
};

static struct answer_facts make_report(void)
{
    struct answer_facts facts = sample_report;

    facts.threads.rows = threads;
    facts.threads.count = 2;
    sample_look.columns = 80;
    return facts;
}

static struct answer_path find_path(const struct answer_facts *facts, union answer_pools *pools)
{
    struct answer_path path = {0};

    answer_pools_collect(pools, facts);
    answer_path_find(&path, facts, pools->items);
    cr_assert(not(path.steps.buf.failed));
    return path;
}

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
