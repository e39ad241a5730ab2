#include "trace/profile.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct trace_methods methods;

/* The calls of one thread, by way of their tree. */
static void add(const struct trace_item *items, size_t count)
{
    struct trace_profile profile = {0};
    size_t node_count = 0;

    cr_assert(eq(int, trace_profile_add(&profile, items, count, NULL), MB_OK));
    const struct trace_node *nodes = trace_profile_nodes(&profile, &node_count);
    cr_assert(eq(int, trace_methods_add(&methods, nodes, node_count, NULL), MB_OK));
    trace_profile_finish(&profile);
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

static void finish(void)
{
    trace_methods_finish(&methods);
    methods = (struct trace_methods){0};
}

TestSuite(methods, .fini = finish);

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
    add(tree, MB_COUNT(tree));
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

    add(items, MB_COUNT(items));
    expect_row(&methods, &(struct trace_method){.id = 1, .calls = 4, .total = 105, .self = 65});
    expect_row(&methods, &(struct trace_method){.id = 2, .calls = 1, .total = 90, .self = 40});
}

Test(methods, ids_up_to_the_last_have_rows)
{
    const struct trace_item items[] = {{.id = 0, .duration = 1, .count = 1},
                                       {.id = 0xFFFFF, .duration = 2, .count = 1}};

    add(items, 2);
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

    add(items, MB_COUNT(items));
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

    add(recursive, MB_COUNT(recursive));
    expect_row(&methods, &(struct trace_method){
                             .id = 1, .calls = 3, .total = 109, .self = 109, .inferred = 100});
}
