#include "answer/edges.h"
#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* 1 calls 2, which calls 1 again, which calls 2 once more. */
static const struct trace_node nodes[] = {
    {.id = 1, .parent = TRACE_NO_NODE, .calls = 1, .total = 100, .own = 10},
    {.id = 2, .parent = 0, .depth = 1, .calls = 4, .total = 90, .own = 20},
    {.id = 1, .parent = 1, .depth = 2, .is_inner = true, .calls = 3, .total = 70, .own = 30},
    {.id = 2, .parent = 2, .depth = 3, .is_inner = true, .calls = 5, .total = 40, .own = 40},
    {.id = 3, .parent = 0, .depth = 1, .calls = 2, .total = 0, .own = 0},
};

static void expect_edge(const struct answer_edge *edge, const struct answer_edge *wanted)
{
    cr_expect(eq(u32, edge->caller, wanted->caller));
    cr_expect(eq(u32, edge->callee, wanted->callee));
    cr_expect(eq(u64, edge->calls, wanted->calls), "%u to %u", edge->caller, edge->callee);
    cr_expect(eq(u64, edge->all_calls, wanted->all_calls), "%u to %u", edge->caller, edge->callee);
    cr_expect(eq(i64, edge->total, wanted->total), "%u to %u", edge->caller, edge->callee);
}

/* Two threads of the same tree. */
Test(edges, sum_up_without_what_recursion_repeats)
{
    static const struct answer_edge wanted[] = {
        {ANSWER_NO_CALLER, 1, 2, 30, 200},
        {1, 2, 18, 24, 180},
        {1, 3, 4, 4, 0},
        {2, 1, 6, 16, 140},
    };
    const struct answer_thread threads[] = {{.nodes = nodes, .node_count = MB_COUNT(nodes)},
                                            {.nodes = nodes, .node_count = MB_COUNT(nodes)}};
    struct answer_facts facts = sample_report;
    union answer_edges edges = {0};

    facts.threads.rows = threads;
    facts.threads.count = MB_COUNT(threads);
    answer_edges_collect(&edges, &facts.threads);
    cr_assert(eq(sz, MB_VEC_COUNT(&edges), MB_COUNT(wanted)));
    for (size_t i = 0; i < MB_COUNT(wanted); i++) {
        expect_edge(&edges.items[i], &wanted[i]);
    }
    mb_buf_finish(&edges.buf);
}
