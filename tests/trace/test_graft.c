#include "trace/graft.h"

#include "abi/names.h"
#include "base/arena.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE TRACE_NO_NODE
#define UNIT (UINT64_C(1) << 32 | 1) /* a nanosecond */
#define BEAT 99u                     /* the method that records */
#define M ABI_MESSAGE_ID
#define K ABI_FIRST_KIND_ID

static struct trace_samples samples;
static struct trace_graft graft;
static struct trace_methods methods;

static void finish_all(void)
{
    trace_samples_finish(&samples);
    trace_graft_finish(&graft);
    trace_methods_finish(&methods);
}

TestSuite(graft, .fini = finish_all);

static bool is_probe(const void *context, uint32_t id)
{
    (void)context;
    return id == BEAT;
}

/* A row of a thread's tree and of its stacks. */
struct row {
    uint32_t parent;
    uint32_t id;
    int64_t total; /* of stacks: running */
    int64_t own;   /* likewise: waiting */
};

/* Up to 8 each; id 0 ends. text: "parent id total own" of each node of the result, + passed, ?
 * waited, ~ if sampled, ^ if inner. */
struct graft_case {
    const char *what;
    struct row tree[8];
    struct row stacks[8];
    const char *text;
};

static const struct graft_case cases[] = {
    {"no samples", {{NONE, 1, 9, 9}}, {{0}}, "-1 1 9 9; "},
    {"stacks alone",
     {{0}},
     {{NONE, 1, 1, 0}, {0, 2, 2, 3}, {1, 3, 4, 0}, {1, 1, 1, 0}},
     "-1 1 11 1~; 0 2 10 5?3~; 1 3 4 4~; 1 1 1 1~^; "},
    {"one method from two places is one node",
     {{0}},
     {{NONE, 1, 1, 0}, {0, 2, 2, 0}, {0, 2, 3, 0}},
     "-1 1 6 1~; 0 2 5 5~; "},
    {"what a recorded method calls was its own time",
     {{NONE, 1, 20, 20}},
     {{NONE, 1, 9, 0}, {0, 2, 5, 1}, {1, 3, 2, 0}},
     "-1 1 20 12; 0 2 8 6?1~; 1 3 2 2~; "},
    {"in a message of the kind that calls it most",
     {{NONE, M, 20, 2}, {0, K, 4, 1}, {1, 2, 3, 3}, {0, K + 1, 12, 2}, {3, 2, 9, 9}},
     {{NONE, 2, 1, 0}, {0, 3, 4, 0}},
     "-1 1048574 20 2; 0 1048446 4 1; 1 2 3 3; 0 1048447 12 2; 3 2 9 5; 4 3 4 4~; "},
    {"and is all of it at most",
     {{NONE, 1, 20, 4}},
     {{NONE, 1, 9, 0}, {0, 2, 5, 0}},
     "-1 1 20 0; 0 2 5 5~; "},
    {"a method between two recorded ones",
     {{NONE, 1, 20, 10}, {0, 2, 10, 10}},
     {{NONE, 1, 0, 0}, {0, 5, 3, 0}, {1, 2, 4, 0}, {2, 6, 2, 0}},
     "-1 1 20 7; 0 2 10 8; 0 5 3 3+6~; 1 6 2 2~; "},
    {"methods around the outermost recorded one",
     {{NONE, 2, 10, 10}},
     {{NONE, 5, 1, 0}, {0, 6, 1, 0}, {1, 2, 4, 0}},
     "-1 2 10 10; -1 5 2 1+4~; 1 6 1 1+4~; "},
    {"a call within a call of the same method",
     {{NONE, 1, 20, 10}, {0, 2, 10, 10}},
     {{NONE, 1, 0, 0}, {0, 2, 0, 0}, {1, 1, 3, 0}, {2, 7, 2, 0}},
     "-1 1 20 8; 0 2 10 10; 0 7 2 2~; "},
    {"a recorded method on a way that no record tells of",
     {{NONE, 1, 20, 10}, {0, 2, 10, 10}},
     {{NONE, 2, 3, 0}, {0, 9, 1, 0}},
     "-1 1 20 10; 0 2 10 9; 1 9 1 1~; "},
    {"a call whose callers' records were lost",
     {{NONE, 1, 5, 5}, {NONE, 2, 20, 20}},
     {{NONE, 1, 0, 0}, {0, 7, 0, 0}, {1, 2, 4, 0}, {2, 8, 6, 0}},
     "-1 1 5 5; -1 2 20 14; 0 7 0 0+10~; 1 8 6 6~; "},
    {"probes are their callers' own time",
     {{NONE, 1, 20, 20}},
     {{NONE, 1, 0, 0},
      {0, BEAT, 4, 0},
      {1, 8, 1, 0},
      {0, 2, 5, 0},
      {3, BEAT, 1, 0},
      {NONE, BEAT, 7, 0}},
     "-1 1 20 14; 0 2 6 6~; "},
    {"a message that no frame tells of",
     {{NONE, M, 20, 5}, {0, 2, 15, 15}},
     {{NONE, 7, 1, 0}, {0, 2, 1, 0}, {1, 8, 5, 0}},
     "-1 1048574 20 5; 0 2 15 10; -1 7 1 1+6~; 1 8 5 5~; "},
    {"a message that a frame tells of",
     {{NONE, M, 20, 5}, {0, 2, 15, 15}},
     {{NONE, 7, 1, 0}, {0, 50, 1, 0}, {1, 8, 3, 0}, {1, 2, 5, 0}},
     "-1 1048574 20 2; 0 2 15 15; -1 7 1 1+9~; 0 8 3 3~; "},
    {"a muted method has what was sampled in it",
     {{NONE, 1, 100, 90}, {0, 40, 10, 10}},
     {{NONE, 1, 30, 0}, {0, 40, 50, 0}, {1, 3, 20, 0}},
     "-1 1 100 30; 0 40 70 50~; 1 3 20 20~; "},
    {"and what was recorded at least",
     {{NONE, 1, 100, 40}, {0, 40, 60, 60}},
     {{NONE, 1, 30, 0}, {0, 40, 30, 0}, {1, 3, 20, 0}},
     "-1 1 100 40; 0 40 60 40; 1 3 20 20~; "},
    {"a muted method that calls another",
     {{NONE, 1, 100, 80}, {0, 40, 20, 10}, {1, 41, 10, 10}},
     {{NONE, 1, 30, 0}, {0, 40, 30, 0}, {1, 41, 40, 0}},
     "-1 1 100 30; 0 40 70 30~; 1 41 40 40~; "},
    {"a muted method without samples",
     {{NONE, 1, 100, 80}, {0, 40, 20, 20}},
     {{NONE, 1, 30, 0}},
     "-1 1 100 80; 0 40 20 20; "},
};

static const struct abi_profile_mute mutes[] = {{.id = 40}, {.id = 41}};
/* Whose stacks could not be walked now and then: the sampler has counted that time elsewhere. */
static const struct abi_sample_thread threads[2] = {{.samples = 4, .failed = 4},
                                                    {.samples = 1, .last_time = 1000}};

static size_t count_rows(const struct row *rows)
{
    size_t count = 0;

    while (count < 8 && rows[count].id != 0) {
        count++;
    }
    return count;
}

static void make_samples(const struct abi_stack_node *nodes, size_t count, uint64_t ns_per_unit)
{
    static struct abi_sampling_view view;
    const struct trace_probes probes = {.is_probe = is_probe};

    view = (struct abi_sampling_view){.threads = threads,
                                      .thread_count = 2,
                                      .nodes = nodes,
                                      .node_count = count,
                                      .ns_per_unit = UNIT};
    cr_assert(eq(int, trace_samples_make(&samples, &view, ns_per_unit, &probes, NULL), MB_OK));
}

static void make_graft(const struct trace_node *tree, size_t count)
{
    const struct trace_graft_source source = {.samples = &samples,
                                              .thread = 1,
                                              .nodes = tree,
                                              .node_count = count,
                                              .mutes = mutes,
                                              .mute_count = MB_COUNT(mutes),
                                              .message_method = 50};
    cr_assert(eq(int, trace_graft_make(&graft, &source, NULL), MB_OK));
}

static void expect_tree(const char *what, const char *expected)
{
    struct mb_buf text = {0};
    size_t count = 0;
    const struct trace_node *nodes = trace_profile_nodes(&graft.profile, &count);

    for (size_t i = 0; i < count; i++) {
        const struct trace_node *n = &nodes[i];
        mb_buf_printf(&text, "%d %u %lld %lld", (int)n->parent, n->id, (long long)n->total,
                      (long long)n->own);
        if (n->passed > 0) {
            mb_buf_printf(&text, "+%lld", (long long)n->passed);
        }
        if (n->waited > 0) {
            mb_buf_printf(&text, "?%lld", (long long)n->waited);
        }
        mb_buf_printf(&text, "%s%s; ", n->is_sampled ? "~" : "", n->is_inner ? "^" : "");
    }
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, expected, "%s: %s", what, (char *)text.bytes);
    mb_buf_finish(&text);
}

static void check_case(const struct graft_case *c)
{
    struct abi_stack_node stacks[16];
    struct trace_node tree[8];
    size_t stack_count = count_rows(c->stacks);
    size_t tree_count = count_rows(c->tree);

    for (size_t i = 0; i < stack_count; i++) {
        const struct row *row = &c->stacks[i];
        /* Those of another thread come between. */
        stacks[2 * i] = (struct abi_stack_node){.parent = ABI_STACK_NO_NODE, .id = 1, .running = 1};
        stacks[2 * i + 1] =
            (struct abi_stack_node){.parent = row->parent == NONE ? NONE : 2 * row->parent + 1,
                                    .id = row->id,
                                    .thread = 1,
                                    .running = (uint64_t)row->total,
                                    .waiting = (uint64_t)row->own};
    }
    for (size_t i = 0; i < tree_count; i++) {
        tree[i] = (struct trace_node){.parent = c->tree[i].parent,
                                      .id = c->tree[i].id,
                                      .calls = 1,
                                      .total = c->tree[i].total,
                                      .own = c->tree[i].own};
    }
    make_samples(stacks, 2 * stack_count, UNIT);
    make_graft(tree, tree_count);
    expect_tree(c->what, c->text);
}

Test(graft, follows_the_rules)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        check_case(&cases[i]);
    }
}

/* 3 was never recorded, and is within 40, which is muted, and within 1, which is not. */
Test(graft, fills_gaps_of_muted_methods_only)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 1, .thread = 1, .running = 30},
        {.parent = 0, .id = 3, .thread = 1, .running = 5},
        {.parent = 1, .id = 40, .thread = 1, .running = 50},
        {.parent = 2, .id = 3, .thread = 1, .running = 20}};
    static const struct trace_node tree[] = {{.parent = NONE, .id = 1, .total = 200, .own = 200}};
    const struct trace_graft_source source = {.samples = &samples,
                                              .thread = 1,
                                              .nodes = tree,
                                              .node_count = 1,
                                              .mutes = mutes,
                                              .mute_count = MB_COUNT(mutes),
                                              .fills_gaps = true};

    make_samples(stacks, MB_COUNT(stacks), UNIT);
    cr_assert(eq(int, trace_graft_make(&graft, &source, NULL), MB_OK));
    expect_tree("gaps", "-1 1 200 130; 0 40 70 70~; ");
}

/* 40 was the first to fall silent, at 200; 41 was recorded for half of the time of the samples. A
 * unit of the words is ten nanoseconds. */
Test(graft, adds_what_filled_gaps_to_what_was_recorded)
{
    static const struct abi_profile_mute later[] = {{.id = 41, .time = 60}, {.id = 40, .time = 20}};
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 1, .thread = 1, .running = 100},
        {.parent = 0, .id = 40, .thread = 1, .running = 300},
        {.parent = 0, .id = 41, .thread = 1, .running = 200}};
    static const struct trace_node tree[] = {{.parent = NONE, .id = 1, .total = 100, .own = 60},
                                             {.parent = 0, .id = 40, .total = 30, .own = 30},
                                             {.parent = 0, .id = 41, .total = 10, .own = 10}};
    const struct trace_graft_source source = {.samples = &samples,
                                              .thread = 1,
                                              .nodes = tree,
                                              .node_count = MB_COUNT(tree),
                                              .mutes = later,
                                              .mute_count = MB_COUNT(later),
                                              .fills_gaps = true};

    make_samples(stacks, MB_COUNT(stacks), UINT64_C(10) << 32 | 1);
    cr_assert(eq(int, trace_graft_make(&graft, &source, NULL), MB_OK));
    expect_tree("gaps", "-1 1 100 20; 0 40 60 60~; 0 41 20 20~; ");
}

Test(graft, times_are_in_the_unit_of_the_words)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 1, .thread = 1, .running = 300, .waiting = 60}};

    make_samples(stacks, 1, UINT64_C(10) << 32 | 1);
    make_graft(NULL, 0);
    expect_tree("ten nanoseconds a unit", "-1 1 36 36?6~; ");
}

/* What ran and took no CPU had no processor; where no CPU time is known nobody knows. */
Test(graft, tells_what_was_ready_by_cpu_time)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 1, .thread = 1, .running = 10, .waiting = 5, .cpu_ns = 7},
        {.parent = 0, .id = 2, .thread = 1, .running = 4, .cpu_ns = 6},
        {.parent = NONE, .id = 1, .running = 10}};
    size_t count = 0;

    make_samples(stacks, MB_COUNT(stacks), UNIT);
    make_graft(NULL, 0);
    const struct trace_node *nodes = trace_profile_nodes(&graft.profile, &count);
    cr_assert(eq(sz, count, 2));
    cr_expect(eq(i64, nodes[0].ready, 3));
    cr_expect(eq(i64, nodes[0].waited, 5));
    cr_expect(eq(i64, nodes[0].worked, 7));
    cr_expect(eq(i64, nodes[1].ready, 0));
    trace_samples_finish(&samples);
    samples = (struct trace_samples){0};
    make_samples(stacks + 2, 1, UNIT);
    const struct trace_graft_source other = {.samples = &samples};
    cr_assert(eq(int, trace_graft_make(&graft, &other, NULL), MB_OK));
    nodes = trace_profile_nodes(&graft.profile, &count);
    cr_expect(eq(i64, nodes[0].ready, 0));
}

Test(graft, a_cut_stack_is_where_most_time_went)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 5, .thread = 1, .running = 1, .flags = ABI_STACK_CUT},
        {.parent = 0, .id = 2, .thread = 1, .running = 4},
        {.parent = 1, .id = 6, .thread = 1, .running = 3},
    };
    static const struct trace_node tree[] = {
        {.parent = NONE, .id = 1, .calls = 1, .total = 10},
        {.parent = 0, .id = 2, .calls = 1, .total = 10, .own = 10},
        {.parent = NONE, .id = 3, .calls = 1, .total = 30},
        {.parent = 2, .id = 2, .calls = 1, .total = 30, .own = 30},
    };

    make_samples(stacks, 3, UNIT);
    make_graft(tree, 4);
    expect_tree("cut", "-1 1 10 0; 0 2 10 10; -1 3 30 0; 2 2 30 27; -1 5 1 1+7~; 3 6 3 3~; ");
}

/* Whatever the order. */
Test(graft, a_cut_stack_is_inside_a_whole_one)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 5, .thread = 1, .running = 1, .flags = ABI_STACK_CUT},
        {.parent = 0, .id = 5, .thread = 1, .running = 4},
        {.parent = NONE, .id = 1, .thread = 1, .running = 2},
        {.parent = 2, .id = 5, .thread = 1, .running = 8},
        {.parent = NONE, .id = 7, .thread = 1, .running = 16, .flags = ABI_STACK_CUT},
    };

    make_samples(stacks, 5, UNIT);
    make_graft(NULL, 0);
    expect_tree("cut", "-1 1 15 2~; 0 5 13 9~; 1 5 4 4~^; -1 7 16 16~; ");
}

Test(graft, a_row_of_methods_counts_what_was_passed)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 5, .thread = 1, .running = 3},
        {.parent = 0, .id = 2, .thread = 1, .running = 4},
    };
    static const struct trace_node tree[] = {
        {.parent = NONE, .id = 2, .calls = 1, .total = 10, .own = 10}};
    size_t count = 0;

    make_samples(stacks, 2, UNIT);
    make_graft(tree, 1);
    const struct trace_node *nodes = trace_profile_nodes(&graft.profile, &count);
    cr_assert(eq(int, trace_methods_add(&methods, nodes, count, NULL), MB_OK));
    const struct trace_method *rows = trace_methods_rows(&methods, &count);
    cr_assert(eq(sz, count, 2));
    cr_expect(eq(i64, rows[0].total, 10));
    cr_expect(eq(i64, rows[1].total, 7));
    cr_expect(eq(i64, rows[1].self, 3));
}

/* 5 calls a recorded method, which calls 5: its time is in both nodes of the tree, and counts once.
 */
Test(graft, a_method_around_a_recorded_one_that_calls_it_counts_once)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 1, .thread = 1},
        {.parent = 0, .id = 5, .thread = 1, .running = 3},
        {.parent = 1, .id = 2, .thread = 1, .running = 4},
        {.parent = 2, .id = 5, .thread = 1, .running = 2},
    };
    static const struct trace_node tree[] = {
        {.parent = NONE, .id = 1, .calls = 1, .total = 20, .own = 10},
        {.parent = 0, .id = 2, .calls = 1, .total = 10, .own = 10}};
    size_t count = 0;

    make_samples(stacks, 4, UNIT);
    make_graft(tree, 2);
    const struct trace_node *nodes = trace_profile_nodes(&graft.profile, &count);
    cr_assert(eq(int, trace_methods_add(&methods, nodes, count, NULL), MB_OK));
    const struct trace_method *rows = trace_methods_rows(&methods, &count);
    for (size_t i = 0; i < count; i++) {
        cr_expect(eq(i64, rows[i].total, rows[i].id == 5 ? 9 : rows[i].id == 2 ? 10 : 20));
    }
    cr_expect(eq(sz, count, 3));
}

/* ---- Any trees ---- */

enum { NODES = 60, METHODS = 9 };

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % below;
}

static bool has_method(const struct trace_node *tree, uint32_t node, uint32_t id)
{
    while (node != NONE && tree[node].id != id) {
        node = tree[node].parent;
    }
    return node != NONE;
}

static bool has_child(const struct trace_node *tree, size_t count, uint32_t parent, uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (tree[i].parent == parent && tree[i].id == id) {
            return true;
        }
    }
    return false;
}

/* No chain has a method twice, no call a child. */
static size_t draw_tree(struct trace_node *tree, uint32_t *state)
{
    size_t count = 0;

    for (size_t i = 0; i < NODES; i++) {
        uint32_t parent = count > 0 && draw(state, 4) > 0 ? draw(state, (uint32_t)count) : NONE;
        uint32_t id = 1 + draw(state, METHODS);
        if (!has_method(tree, parent, id) && !has_child(tree, count, parent, id)) {
            int64_t own = draw(state, 100);
            tree[count++] = (struct trace_node){
                .parent = parent, .id = id, .calls = 1, .total = own, .own = own};
        }
    }
    for (size_t i = count; i > 0; i--) {
        if (tree[i - 1].parent != NONE) {
            tree[tree[i - 1].parent].total += tree[i - 1].total;
        }
    }
    return count;
}

static void draw_stacks(struct abi_stack_node *stacks, uint32_t *state)
{
    for (uint32_t i = 0; i < NODES; i++) {
        stacks[i] =
            (struct abi_stack_node){.parent = i > 0 && draw(state, 4) > 0 ? draw(state, i) : NONE,
                                    .id = 1 + draw(state, 2 * METHODS),
                                    .thread = 1,
                                    .running = draw(state, 50)};
    }
}

static void check_tree(const struct trace_node *tree, size_t tree_count, int64_t sampled)
{
    size_t count = 0;
    const struct trace_node *nodes = trace_profile_nodes(&graft.profile, &count);
    int64_t inside[3 * NODES] = {0}; /* sampled children's */
    int64_t own = 0;

    for (size_t i = count; i > 0; i--) {
        const struct trace_node *n = &nodes[i - 1];
        cr_assert(eq(int, n->parent == NONE || n->parent < i - 1, true));
        cr_assert(eq(u32, n->depth > 0, n->parent != NONE && i > tree_count));
        if (i > tree_count) {
            cr_assert(eq(int, n->is_sampled && n->calls == 0, true));
            cr_assert(eq(i64, n->total, n->own + inside[i - 1]));
            cr_assert(eq(int, n->is_inner, has_method(nodes, n->parent, n->id)));
            own += n->own;
            cr_assert(le(i64, n->total + n->passed, sampled));
        } else {
            const struct trace_node *before = &tree[i - 1];
            int64_t left = before->own - inside[i - 1];
            cr_assert(eq(i64, n->total, before->total));
            cr_assert(eq(u64, n->calls, before->calls));
            cr_assert(eq(i64, n->own, left > 0 ? left : 0));
            cr_assert(eq(int, n->is_sampled, false));
        }
        if (i > tree_count && n->parent != NONE) {
            inside[n->parent] += n->total;
        }
    }
    cr_assert(le(i64, own, sampled));
}

Test(graft, recorded_nodes_stay_as_they_are)
{
    uint32_t state = 1;

    for (size_t round = 0; round < 1000; round++) {
        struct trace_node tree[NODES];
        struct abi_stack_node stacks[NODES];
        int64_t sampled = 0;
        size_t count = draw_tree(tree, &state);
        draw_stacks(stacks, &state);
        for (size_t i = 0; i < NODES; i++) {
            sampled += (int64_t)stacks[i].running;
        }
        make_samples(stacks, NODES, UNIT);
        make_graft(tree, count);
        check_tree(tree, count, sampled);
    }
}

Test(graft, fails_without_memory)
{
    static const struct abi_stack_node stacks[] = {
        {.parent = NONE, .id = 1, .thread = 1, .running = 3},
        {.parent = 0, .id = 2, .thread = 1, .running = 4},
    };
    static const struct trace_node tree[] = {{.parent = NONE, .id = 1, .calls = 1, .own = 10}};
    const struct trace_graft_source source = {
        .samples = &samples, .thread = 1, .nodes = tree, .node_count = 1};
    bool is_done = false;

    make_samples(stacks, 2, UNIT);
    for (int n = 0; !is_done; n++) {
        struct trace_graft fresh = {0};
        struct mb_error err = {0};
        size_t count = 0;
        allocations_left = n;
        mb_alloc_should_fail = fail_after;
        enum mb_status status = trace_graft_make(&fresh, &source, &err);
        mb_alloc_should_fail = NULL;
        is_done = status == MB_OK;
        cr_assert(eq(int, is_done || status == MB_NO_MEMORY, true));
        cr_assert(eq(int, trace_graft_make(&fresh, &source, &err), MB_OK));
        const struct trace_node *nodes = trace_profile_nodes(&fresh.profile, &count);
        cr_assert(eq(sz, count, 2));
        cr_assert(eq(i64, nodes[0].own, 6));
        trace_graft_finish(&fresh);
    }
}
