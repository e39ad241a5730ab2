#include "trace/trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct trace_methods methods;

static void add(const struct trace_item *items, size_t count)
{
    cr_assert(eq(int, trace_methods_add(&methods, items, count, NULL), MB_OK));
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
    expect_row(&methods, &(struct trace_method){1, 1, 100, 50});
    expect_row(&methods, &(struct trace_method){2, 3, 50, 40});
    expect_row(&methods, &(struct trace_method){3, 6, 17, 17});
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
    expect_row(&methods, &(struct trace_method){1, 4, 105, 65});
    expect_row(&methods, &(struct trace_method){2, 1, 90, 40});
}

Test(methods, threads_add_up)
{
    add(tree, MB_COUNT(tree));
    add(tree, 2);
    expect_row(&methods, &(struct trace_method){1, 2, 200, 120});
    expect_row(&methods, &(struct trace_method){2, 5, 80, 70});
}

/* What is open at the end of one thread is not a caller in the next. */
Test(methods, a_thread_starts_without_callers)
{
    add(tree, 3);
    add(&tree[2], 0);
    add((const struct trace_item[]){{.id = 2, .depth = 0, .duration = 9, .count = 1}}, 1);
    expect_row(&methods, &(struct trace_method){2, 3, 39, 29});
}

Test(methods, parts_merge_into_what_adding_gives)
{
    struct trace_methods all = {0};

    add(tree, MB_COUNT(tree));
    cr_assert(eq(int, trace_methods_merge(&all, &methods, NULL), MB_OK));
    trace_methods_reset(&methods);
    cr_assert(eq(sz, count_rows(), 0));
    add(tree, 2);
    cr_assert(eq(sz, count_rows(), 2));
    expect_row(&methods, &(struct trace_method){1, 1, 100, 70});
    cr_assert(eq(int, trace_methods_merge(&all, &methods, NULL), MB_OK));
    expect_row(&all, &(struct trace_method){1, 2, 200, 120});
    expect_row(&all, &(struct trace_method){2, 5, 80, 70});
    expect_row(&all, &(struct trace_method){3, 6, 17, 17});
    trace_methods_finish(&all);
}

Test(methods, ids_up_to_the_last_have_rows)
{
    const struct trace_item items[] = {{.id = 0, .duration = 1, .count = 1},
                                       {.id = 0xFFFFF, .duration = 2, .count = 1}};

    add(items, 2);
    expect_row(&methods, &(struct trace_method){0, 1, 1, 1});
    expect_row(&methods, &(struct trace_method){0xFFFFF, 1, 2, 2});
}

Test(methods, nothing_gives_nothing)
{
    trace_methods_reset(&methods);
    add(tree, 0);
    cr_assert(eq(sz, count_rows(), 0));
}

Test(methods, a_subtree_ends_where_depth_returns)
{
    cr_assert(eq(sz, trace_subtree(tree, 5, 0), 4));
    cr_assert(eq(sz, trace_subtree(tree, 5, 1), 2));
    cr_assert(eq(sz, trace_subtree(tree, 5, 2), 1));
    cr_assert(eq(sz, trace_subtree(tree, 5, 4), 1));
    cr_assert(eq(sz, trace_subtree(tree, 2, 0), 2));
}
