#include "trace/profile.h"

#include "base/arena.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static struct trace_profile profile;

static void finish(void)
{
    trace_profile_finish(&profile);
    profile = (struct trace_profile){0};
}

TestSuite(profile, .fini = finish);

/* 1 calls 2 twice, which calls 3; then 3 calls 1, and 1 once more calls 2. */
static const struct trace_item calls[] = {
    {.id = 1, .depth = 0, .duration = 100, .longest = 100, .count = 1},
    {.id = 2, .depth = 1, .duration = 30, .longest = 16, .count = 2},
    {.id = 3, .depth = 2, .duration = 10, .longest = 9, .count = 5},
    {.id = 2, .depth = 1, .duration = 20, .longest = 20, .count = 1},
    {.id = 3, .depth = 0, .duration = 7, .longest = 7, .count = 1},
    {.id = 1, .depth = 1, .duration = 5, .longest = 5, .count = 1},
    {.id = 1, .depth = 0, .duration = 50, .longest = 50, .count = 1, .is_open = 1},
    {.id = 2, .depth = 1, .duration = 49, .longest = 49, .count = 1, .is_open = 1},
};

static void add(const struct trace_item *items, size_t count)
{
    cr_assert(eq(int, trace_profile_add(&profile, items, count, NULL), MB_OK));
}

/* "parent id calls total own longest" of each node, ! if inner, + if open. */
static void expect_nodes(const char *expected)
{
    struct mb_buf text = {0};
    size_t count = 0;
    const struct trace_node *nodes = trace_profile_nodes(&profile, &count);

    for (size_t i = 0; i < count; i++) {
        const struct trace_node *n = &nodes[i];
        mb_buf_printf(&text, "%d %u %llu %lld %lld %lld%s%s; ", (int)n->parent, n->id,
                      (unsigned long long)n->calls, (long long)n->total, (long long)n->own,
                      (long long)n->longest, n->is_inner ? "!" : "", n->is_open ? "+" : "");
        cr_expect(eq(u32, n->depth, n->parent == TRACE_NO_NODE ? 0 : nodes[n->parent].depth + 1));
    }
    mb_buf_put_u1(&text, 0);
    cr_assert_str_eq((char *)text.bytes, expected);
    mb_buf_finish(&text);
}

Test(profile, a_chain_of_callers_has_one_node)
{
    add(calls, MB_COUNT(calls));
    expect_nodes("-1 1 2 150 51 100+; 0 2 4 99 89 49+; 1 3 5 10 10 9; -1 3 1 7 2 7; "
                 "3 1 1 5 5 5; ");
}

Test(profile, recursion_is_told)
{
    static const struct trace_item items[] = {
        {.id = 1, .depth = 0, .duration = 100, .count = 1},
        {.id = 2, .depth = 1, .duration = 90, .count = 1},
        {.id = 1, .depth = 2, .duration = 50, .count = 1},
        {.id = 2, .depth = 3, .duration = 20, .count = 1},
        {.id = 2, .depth = 0, .duration = 5, .count = 1},
    };

    add(items, MB_COUNT(items));
    expect_nodes("-1 1 1 100 10 0; 0 2 1 90 40 0; 1 1 1 50 30 0!; 2 2 1 20 20 0!; -1 2 1 5 5 0; ");
}

/* What is open at the end of one thread is no caller in the next. */
Test(profile, threads_add_up)
{
    add(calls, 3);
    add(&calls[2], 0);
    add(calls, 2);
    add((const struct trace_item[]){{.id = 2, .depth = 0, .duration = 9, .count = 1}}, 1);
    expect_nodes("-1 1 2 200 140 100; 0 2 4 60 50 16; 1 3 5 10 10 9; -1 2 1 9 9 0; ");
}

Test(profile, merging_gives_what_adding_gives)
{
    struct trace_profile part = {0};
    size_t count = 0;

    cr_assert(eq(int, trace_profile_add(&part, calls, MB_COUNT(calls), NULL), MB_OK));
    const struct trace_node *nodes = trace_profile_nodes(&part, &count);
    add(&calls[4], 2);
    cr_assert(eq(int, trace_profile_merge(&profile, nodes, count, NULL), MB_OK));
    expect_nodes("-1 3 2 14 4 7; 0 1 2 10 10 5; -1 1 2 150 51 100+; 2 2 4 99 89 49+; "
                 "3 3 5 10 10 9; ");
    trace_profile_reset(&profile);
    cr_assert(eq(int, trace_profile_merge(&profile, nodes, count, NULL), MB_OK));
    expect_nodes("-1 1 2 150 51 100+; 0 2 4 99 89 49+; 1 3 5 10 10 9; -1 3 1 7 2 7; "
                 "3 1 1 5 5 5; ");
    trace_profile_finish(&part);
}

/* Many children of many nodes: the table of slots grows, and each is found again. */
Test(profile, nodes_are_found_again)
{
    enum { WIDTH = 300, ROUNDS = 3 };
    struct trace_item *items = calloc(WIDTH * (WIDTH + 1), sizeof(*items));
    size_t count = 0;

    for (uint32_t i = 0; i < WIDTH; i++) {
        items[count++] = (struct trace_item){.id = i, .depth = 0, .duration = WIDTH, .count = 1};
        for (uint32_t j = 0; j < WIDTH; j++) {
            items[count++] = (struct trace_item){.id = j, .depth = 1, .duration = 1, .count = 1};
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        add(items, count);
    }
    size_t node_count = 0;
    const struct trace_node *nodes = trace_profile_nodes(&profile, &node_count);
    cr_assert(eq(sz, node_count, count));
    for (size_t i = 0; i < node_count; i++) {
        cr_assert(eq(u64, nodes[i].calls, ROUNDS));
        cr_assert(eq(u32, nodes[i].id, items[i].id));
        cr_assert(eq(i64, nodes[i].own, nodes[i].depth == 0 ? 0 : ROUNDS));
    }
    free(items);
}

Test(profile, runs_out_of_memory_cleanly)
{
    enum mb_status status = MB_NO_MEMORY;
    int tries = 0;

    for (; status == MB_NO_MEMORY; tries++) {
        struct trace_profile tried = {0};
        allocations_left = tries;
        mb_alloc_should_fail = fail_after;
        status = trace_profile_add(&tried, calls, MB_COUNT(calls), NULL);
        mb_alloc_should_fail = NULL;
        trace_profile_finish(&tried);
    }
    cr_assert(eq(int, status, MB_OK));
    cr_assert(gt(int, tries, 3));
}

Test(profile, a_child_is_made_once)
{
    uint32_t top = trace_profile_child(&profile, TRACE_NO_NODE, 1);
    uint32_t below = trace_profile_child(&profile, top, 1);

    cr_expect(ne(u32, top, below));
    cr_expect(eq(u32, trace_profile_child(&profile, TRACE_NO_NODE, 1), top));
    cr_expect(eq(u32, trace_profile_child(&profile, top, 1), below));
    expect_nodes("-1 1 0 0 0 0; 0 1 0 0 0 0; ");
}

/* ---- What methods cost ---- */

static struct trace_methods methods;

/* The calls of one thread, by way of their tree. */
static void add_methods(const struct trace_item *items, size_t count)
{
    struct trace_profile tree = {0};
    size_t node_count = 0;

    cr_assert(eq(int, trace_profile_add(&tree, items, count, NULL), MB_OK));
    const struct trace_node *nodes = trace_profile_nodes(&tree, &node_count);
    cr_assert(eq(int, trace_methods_add(&methods, nodes, node_count, NULL), MB_OK));
    trace_profile_finish(&tree);
}

static void expect_row(const struct trace_methods *table, const struct trace_method *expected)
{
    size_t count = 0;
    const struct trace_method *rows = trace_methods_rows(table, &count);
    const struct trace_method *row = NULL;

    for (size_t i = 0; i < count; i++) {
        row = rows[i].id == expected->id ? &rows[i] : row;
    }
    cr_assert(ne(ptr, (void *)(uintptr_t)row, NULL), "no row for %u", expected->id);
    cr_expect(eq(u64, row->calls, expected->calls), "calls of %u", row->id);
    cr_expect(eq(i64, row->total, expected->total), "total of %u", row->id);
    cr_expect(eq(i64, row->self, expected->self), "self of %u", row->id);
    cr_expect(eq(i64, row->inferred, expected->inferred), "inferred of %u", row->id);
}

static size_t count_rows(void)
{
    size_t count = 0;

    (void)trace_methods_rows(&methods, &count);
    return count;
}

static void finish_methods(void)
{
    trace_methods_finish(&methods);
    methods = (struct trace_methods){0};
}

TestSuite(methods, .fini = finish_methods);

/* 1 calls 2 twice, which calls 3; 3 is an outermost call too. */
static const struct trace_item tree[] = {
    {.id = 1, .depth = 0, .duration = 100, .count = 1},
    {.id = 2, .depth = 1, .duration = 30, .count = 2},
    {.id = 3, .depth = 2, .duration = 10, .count = 5},
    {.id = 2, .depth = 1, .duration = 20, .count = 1},
    {.id = 3, .depth = 0, .duration = 7, .count = 1},
};

Test(methods, own_time_is_without_the_calls_made)
{
    add_methods(tree, MB_COUNT(tree));
    cr_assert(eq(sz, count_rows(), 3));
    expect_row(&methods, &(struct trace_method){.id = 1, .calls = 1, .total = 100, .self = 50});
    expect_row(&methods, &(struct trace_method){.id = 2, .calls = 3, .total = 50, .self = 40});
    expect_row(&methods, &(struct trace_method){.id = 3, .calls = 6, .total = 17, .self = 17});
}

/* 1 calls 2 calls 1 calls 1: the inner ones are part of the outer one's time. */
Test(methods, recursion_is_counted_once_in_the_total)
{
    static const struct trace_item items[] = {
        {.id = 1, .depth = 0, .duration = 100, .count = 1},
        {.id = 2, .depth = 1, .duration = 90, .count = 1},
        {.id = 1, .depth = 2, .duration = 50, .count = 1},
        {.id = 1, .depth = 3, .duration = 20, .count = 1},
        {.id = 1, .depth = 0, .duration = 5, .count = 1},
    };

    add_methods(items, MB_COUNT(items));
    expect_row(&methods, &(struct trace_method){.id = 1, .calls = 4, .total = 105, .self = 65});
    expect_row(&methods, &(struct trace_method){.id = 2, .calls = 1, .total = 90, .self = 40});
}

Test(methods, ids_up_to_the_last_have_rows)
{
    const struct trace_item items[] = {{.id = 0, .duration = 1, .count = 1},
                                       {.id = 0xFFFFF, .duration = 2, .count = 1}};

    add_methods(items, 2);
    expect_row(&methods, &(struct trace_method){.id = 0, .calls = 1, .total = 1, .self = 1});
    expect_row(&methods, &(struct trace_method){.id = 0xFFFFF, .calls = 1, .total = 2, .self = 2});
}

Test(methods, the_longest_call_is_that_of_all_chains)
{
    static const struct trace_item items[] = {
        {.id = 1, .depth = 0, .duration = 100, .longest = 100, .count = 1},
        {.id = 2, .depth = 1, .duration = 30, .longest = 25, .count = 2},
        {.id = 2, .depth = 0, .duration = 26, .longest = 26, .count = 1},
    };
    size_t count = 0;

    add_methods(items, MB_COUNT(items));
    const struct trace_method *rows = trace_methods_rows(&methods, &count);
    cr_assert(eq(sz, count, 2));
    cr_expect(eq(i64, rows[1].longest, 26));
}

Test(methods, a_subtree_ends_where_depth_returns)
{
    cr_assert(eq(sz, trace_subtree(tree, 5, 0), 4));
    cr_assert(eq(sz, trace_subtree(tree, 5, 1), 2));
    cr_assert(eq(sz, trace_subtree(tree, 5, 2), 1));
    cr_assert(eq(sz, trace_subtree(tree, 5, 4), 1));
    cr_assert(eq(sz, trace_subtree(tree, 2, 0), 2));
}

/* As the total: what is inside a call of the method is in that one's. */
Test(methods, inferred_time_is_counted_once)
{
    static const struct trace_item recursive[] = {
        {.id = 1, .depth = 0, .duration = 100, .count = 1, .is_inferred = 1},
        {.id = 1, .depth = 1, .duration = 60, .count = 1, .is_inferred = 1},
        {.id = 1, .depth = 0, .duration = 9, .count = 1},
    };

    add_methods(recursive, MB_COUNT(recursive));
    expect_row(&methods, &(struct trace_method){
                             .id = 1, .calls = 3, .total = 109, .self = 109, .inferred = 100});
}
