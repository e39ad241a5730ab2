/* Threads of a pool whose hot path ends in branches. */

#ifndef FORMATS_HOT_PATH_H
#define FORMATS_HOT_PATH_H

#include "answer/path.h"
#include "sample.h"

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

    answer_pools_collect(pools, &facts->clock, &facts->threads);
    answer_path_find(&path, &facts->clock, &facts->threads, pools->items);
    cr_assert(not(path.steps.buf.failed));
    return path;
}

#endif
