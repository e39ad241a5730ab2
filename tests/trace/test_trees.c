#include "trace/trees.h"

#include "abi/record.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NONE ABI_PROFILE_NO_NODE
#define UNIT (UINT64_C(1) << 32 | 1) /* a nanosecond */

static struct trace_trees trees;

static void finish(void)
{
    trace_trees_finish(&trees);
    trees = (struct trace_trees){0};
}

TestSuite(trees, .fini = finish);

static void make(const struct trace_tree_source *source)
{
    cr_assert(eq(int, trace_trees_make(&trees, source, NULL), MB_OK));
}

/* "parent id calls total own longest" of each node, + if open, * if folded, ? what it waited, -
 * what was too short. */
static void expect_tree(size_t thread, const char *expected)
{
    struct mb_buf text = {0};
    size_t count = 0;
    const struct trace_node *nodes = trace_trees_of(&trees, thread, &count);

    for (size_t i = 0; i < count; i++) {
        const struct trace_node *n = &nodes[i];
        mb_buf_printf(&text, "%d %u %llu %lld %lld %lld%s", (int)n->parent, n->id,
                      (unsigned long long)n->calls, (long long)n->total, (long long)n->own,
                      (long long)n->longest, n->is_open ? "+" : "");
        mb_buf_put_string(&text, n->is_folded ? "*" : "");
        if (n->waited > 0) {
            mb_buf_printf(&text, "?%lld", (long long)n->waited);
        }
        mb_buf_put_string(&text, "; ");
        cr_expect(eq(u32, n->depth, n->parent == TRACE_NO_NODE ? 0 : nodes[n->parent].depth + 1));
    }
    mb_buf_put_u1(&text, 0);
    cr_assert_str_eq((char *)text.bytes, expected);
    mb_buf_finish(&text);
}

/* Nodes of threads come in any order, callers first. */
Test(trees, each_thread_has_its_own)
{
    static const struct abi_profile_thread threads[3] = {{.last_time = 100}, {.last_time = 100}};
    static const struct abi_profile_node nodes[] = {
        {NONE, 1, 0, 0, .calls = 2, .total = 90, .child_total = 60, .longest = 50},
        {NONE, 7, 1, 0, .calls = 1, .total = 9, .longest = 9},
        {0, 2, 0, 0, .calls = 3, .total = 60, .child_total = 10, .longest = 40},
        {1, 2, 1, 0, .calls = 1, .total = 0},
        {2, 3, 0, ABI_PROFILE_FOLDED, .calls = 4, .total = 10, .longest = 3},
    };

    make(&(struct trace_tree_source){threads, 3, nodes, MB_COUNT(nodes), 100, UNIT});
    expect_tree(0, "-1 1 2 90 30 50; 0 2 3 60 50 40; 1 3 4 10 10 3*; ");
    expect_tree(1, "-1 7 1 9 9 9; 0 2 1 0 0 0; ");
    expect_tree(2, "");
    cr_expect(eq(u64, trees.damaged_nodes, 0));
}

/* 2 fell silent when 1 had run for 10 of its 50 units; what 2 calls had fallen silent before. */
Test(trees, callers_of_muted_methods_go_on)
{
    static const struct abi_profile_thread threads[] = {{.last_time = 100}};
    static const struct abi_profile_node nodes[] = {
        {NONE, 1, 0, 0, .calls = 1, .total = 50, .longest = 50},
        {0, 2, 0, 0, .calls = 3, .total = 6, .longest = 2, .caller_time = 10},
        {1, 3, 0, 0, .calls = 4, .total = 2, .longest = 1, .caller_time = 3},
        {0, 4, 0, 0, .calls = 4, .total = 2, .longest = 1, .caller_time = 70},
    };
    size_t count = 0;

    make(&(struct trace_tree_source){threads, 1, nodes, MB_COUNT(nodes), 100, UNIT});
    const struct trace_node *made = trace_trees_of(&trees, 0, &count);
    cr_expect(eq(i64, made[0].silent, 0));
    cr_expect(eq(i64, made[1].silent, 40));
    cr_expect(eq(i64, made[2].silent, 3));
    cr_expect(eq(i64, made[3].silent, 0), "what makes no sense");
}

/* 1 - 2 - 1 - 2, 10 units own each but for the innermost's 60: what the inner 1 adds to its node's
 * own time is less in child_total, here more than all that was inside. */
Test(trees, own_times_of_folded_nodes_are_whole)
{
    static const struct abi_profile_thread threads[] = {{.last_time = 100}};
    static const struct abi_profile_node nodes[] = {
        {NONE, 1, 0, ABI_PROFILE_FOLDED, .calls = 2, .total = 90, .child_total = 70, .longest = 90},
        {0, 2, 0, ABI_PROFILE_FOLDED, .calls = 2, .total = 80, .child_total = 10, .longest = 80},
        {NONE, 3, 0, ABI_PROFILE_FOLDED, .calls = 1, .child_total = UINT64_MAX - 4,
         .open_since = 1},
    };

    make(&(struct trace_tree_source){threads, 1, nodes, MB_COUNT(nodes), 100, UNIT});
    expect_tree(0, "-1 1 2 90 20 90*; 0 2 2 80 70 80*; -1 3 2 100 105 100+*; ");
}

/* They last until the end of all, or of their thread; and are no time of their callers'. */
Test(trees, open_calls_are_added)
{
    static const struct abi_profile_thread threads[] = {
        {.last_time = 70}, {.last_time = 50, .flags = ABI_PROFILE_ENDED}, {.last_time = 120}};
    static const struct abi_profile_node nodes[] = {
        {NONE, 1, 0, 0, .calls = 1, .total = 10, .child_total = 13, .longest = 10,
         .open_since = 21},
        {0, 2, 0, 0, .calls = 2, .total = 13, .longest = 8, .open_since = 61},
        {NONE, 1, 1, 0, .open_since = 1},
        {NONE, 1, 2, 0, .open_since = 101},
        {NONE, 2, 2, 0, .open_since = 500}, /* time went back */
    };

    make(&(struct trace_tree_source){threads, 3, nodes, MB_COUNT(nodes), 100, UNIT});
    expect_tree(0, "-1 1 2 90 37 80+; 0 2 3 53 53 40+; ");
    expect_tree(1, "-1 1 1 50 50 50+; ");
    expect_tree(2, "-1 1 1 20 20 20+; -1 2 1 0 0 0+; ");
}

static void expect_usage(struct trace_usage usage, const char *expected)
{
    char text[160];

    (void)snprintf(text, sizeof(text), "worked %" PRId64 ", ready %" PRId64 ", waited %" PRId64,
                   usage.worked, usage.ready, usage.waited);
    cr_expect_str_eq(text, expected);
}

/* A call cannot have run longer than its thread had a processor, from what is known of that. */
Test(trees, waiting_is_what_no_processor_was_there_for)
{
    static const struct abi_profile_thread threads[] = {
        {.last_time = 1000, .cpu_ns = 80, .cpu_time = 990},
        {.last_time = 1000},
        {.last_time = 1000, .cpu_time = 1000},
    };
    static const struct abi_profile_node nodes[] = {
        {NONE, 1, 0, 0, .calls = 1, .total = 1000, .child_total = 900},
        {0, 2, 0, 0, .calls = 1, .total = 900},
        {NONE, 1, 1, 0, .calls = 1, .total = 1000},
        {NONE, 1, 2, 0, .calls = 1, .total = 1000},
    };
    /* A unit is two nanoseconds: 40 units of CPU time, and 10 of which nobody knows. */
    const struct trace_tree_source source = {threads,         3,    nodes,
                                             MB_COUNT(nodes), 1000, (UINT64_C(2) << 32 | 1)};

    make(&source);
    expect_tree(0, "-1 1 1 1000 100 0?50; 0 2 1 900 900 0?850; ");
    expect_tree(1, "-1 1 1 1000 1000 0; ");
    expect_tree(2, "-1 1 1 1000 1000 0?1000; ");
    expect_usage(trace_usage_of(&source, 0, 1000), "worked 40, ready 0, waited 950");
    expect_usage(trace_usage_of(&source, 0, 970), "worked 20, ready 0, waited 920");
    expect_usage(trace_usage_of(&source, 0, 30), "worked 0, ready 0, waited 0");
    cr_expect(not(trace_usage_of(&source, 1, 1000).is_known));
}

/* What the recorder kept is taken as it is, but never more than there was. */
Test(trees, bounds_are_taken_from_the_file)
{
    static const struct abi_profile_thread threads[] = {
        {.last_time = 1000,
         .flags = ABI_PROFILE_BOUNDS | ABI_PROFILE_READY,
         .cpu_ns = 1000,
         .cpu_time = 1000,
         .worked_least = 30,
         .ready_least = 20,
         .waited_least = 50},
        {.last_time = 1000,
         .flags = ABI_PROFILE_BOUNDS,
         .cpu_time = 1000,
         .worked_least = UINT64_MAX,
         .waited_least = 700},
    };
    static const struct abi_profile_node nodes[] = {
        {NONE, 1, 0, 0, .calls = 1, .total = 1000, .child_total = 900, .ready_least = 60,
         .waited_least = 50},
        {NONE, 1, 1, 0, .calls = 1, .total = 100},
    };
    const struct trace_tree_source source = {threads, 2, nodes, MB_COUNT(nodes), 1000, UNIT};
    size_t count = 0;

    make(&source);
    expect_tree(0, "-1 1 1 1000 100 0?50; ");
    cr_expect(eq(i64, trace_trees_of(&trees, 0, &count)->ready, 50), "the rest of its own time");
    expect_tree(1, "-1 1 1 100 100 0; ");
    expect_usage(trace_usage_of(&source, 0, 1000), "worked 30, ready 20, waited 50");
    expect_usage(trace_usage_of(&source, 0, 90), "worked 30, ready 10, waited 50");
    cr_expect(trace_usage_of(&source, 0, 1).knows_ready);
    expect_usage(trace_usage_of(&source, 1, 100), "worked 100, ready 0, waited 0");
    cr_expect(not(trace_usage_of(&source, 1, 1).knows_ready));
    cr_expect(not(trace_usage_of(&source, 0, 1).is_whole));
}

/* What was neither work nor readiness was waiting, up to when the system was asked last. */
Test(trees, parts_add_up)
{
    static const struct abi_profile_thread threads[] = {
        {.last_time = 1000,
         .flags = ABI_PROFILE_BOUNDS | ABI_PROFILE_PARTS | ABI_PROFILE_READY,
         .cpu_time = 990,
         .worked_least = 30,
         .ready_least = 20},
    };
    const struct trace_tree_source source = {threads, 1, NULL, 0, 1000, UNIT};

    expect_usage(trace_usage_of(&source, 0, 800), "worked 30, ready 20, waited 740");
    expect_usage(trace_usage_of(&source, 0, 45), "worked 30, ready 15, waited 0");
    cr_expect(trace_usage_of(&source, 0, 1).is_whole);
}

/* No more than all of it is. */
Test(trees, know_what_rests_on_inferred_ends)
{
    static const struct abi_profile_thread threads[] = {{.last_time = 100}};
    static const struct abi_profile_node nodes[] = {
        {NONE, 1, 0, 0, .calls = 2, .total = 50, .inferred_calls = 1, .inferred_total = 20},
        {NONE, 2, 0, 0, .calls = 2, .total = 50, .inferred_calls = 1, .inferred_total = UINT64_MAX},
    };
    size_t count = 0;

    make(&(struct trace_tree_source){threads, 1, nodes, MB_COUNT(nodes), 100, UNIT});
    const struct trace_node *made = trace_trees_of(&trees, 0, &count);
    cr_assert(eq(sz, count, 2));
    cr_expect(eq(i64, made[0].inferred, 20));
    cr_expect(eq(i64, made[1].inferred, 50));
}

/* What makes no sense is left out with all below it, and counted. */
Test(trees, damage_is_left_out)
{
    static const struct abi_profile_thread threads[2] = {{.last_time = 9}, {.last_time = 9}};
    static const struct abi_profile_node nodes[] = {
        {0, 1, 0, 0, .calls = 1},                  /* its own caller */
        {NONE, 2, 2, 0, .calls = 1},               /* no such thread */
        {NONE, ABI_ID_MASK + 1, 0, 0, .calls = 1}, /* no such id */
        {4, 3, 0, 0, .calls = 1},                  /* before its caller */
        {NONE, 4, 0, 0, .calls = UINT64_MAX, .total = UINT64_MAX, .child_total = 1},
        {4, 5, 1, 0, .calls = 1}, /* of another thread */
        {5, 6, 1, 0, .calls = 1}, /* below that */
        {4, 7, 0, 0, .calls = 1, .total = 1, .child_total = UINT64_MAX},
    };

    make(&(struct trace_tree_source){threads, 2, nodes, MB_COUNT(nodes), UINT64_MAX, UNIT});
    cr_expect(eq(u64, trees.damaged_nodes, 6));
    expect_tree(0, "-1 4 18446744073709551615 9223372036854775807 9223372036854775806 0; "
                   "0 7 1 1 2 0; ");
    expect_tree(1, "");
}
