/* Random programs, of which the truth is known, as samples tell them. */

#include "base/arena.h"
#include "tests/support/failing.h"
#include "trace/profile.h"
#include "trace/samples.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE ABI_STACK_NO_NODE
#define UNIT (UINT64_C(1000) << 32 | 1) /* a microsecond */
#define BEAT 99u

enum { METHODS = 7, SITES = 2, MAX_DEPTH = 12 };

/* What a program is like. */
struct kind {
    size_t calls;
    uint32_t longest_step; /* between two events, from 1 on, short ones as likely as long ones */
};

/* Calls in call order, and the stacks that they make. */
struct program {
    struct trace_item *truth;
    uint32_t *nodes_of; /* [call] */
    size_t count;
    uint64_t end;
    struct mb_buf nodes;   /* struct abi_stack_node; the first is of a probe */
    struct mb_buf samples; /* struct abi_sample */
};

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % below;
}

/* ---- Programs ---- */

static uint64_t draw_step(const struct kind *kind)
{
    return 1 + draw((kind->longest_step >> draw(10)) + 1);
}

static uint32_t find_node(struct program *p, const struct abi_stack_node *wanted)
{
    const struct abi_stack_node *nodes = (const void *)p->nodes.bytes;
    uint32_t count = (uint32_t)(p->nodes.size / sizeof(*nodes));

    for (uint32_t i = wanted->parent == NONE ? 0 : wanted->parent + 1; i < count; i++) {
        if (nodes[i].parent == wanted->parent && nodes[i].id == wanted->id &&
            nodes[i].bci == wanted->bci) {
            return i;
        }
    }
    mb_buf_put(&p->nodes, wanted, sizeof(*wanted));
    return count;
}

static void enter(struct program *p, const size_t *open, size_t depth, uint64_t time)
{
    const struct abi_stack_node wanted = {
        .parent = depth > 0 ? p->nodes_of[open[depth - 1]] : NONE,
        .id = 1 + draw(METHODS),
        .bci = (uint16_t)draw(SITES),
    };

    p->nodes_of[p->count] = find_node(p, &wanted);
    p->truth[p->count++] =
        (struct trace_item){.start = time, .id = wanted.id, .depth = (int32_t)depth, .count = 1};
}

static void run_program(struct program *p, const struct kind *kind)
{
    const struct abi_stack_node probe = {.parent = NONE, .id = BEAT};
    size_t open[MAX_DEPTH];
    size_t depth = 0;
    uint64_t time = 100;

    *p = (struct program){.truth = calloc(kind->calls, sizeof(*p->truth)),
                          .nodes_of = calloc(kind->calls, sizeof(*p->nodes_of))};
    mb_buf_put(&p->nodes, &probe, sizeof(probe));
    while (p->count < kind->calls || depth > 0) {
        bool is_full = p->count == kind->calls || depth == MAX_DEPTH;
        time += draw_step(kind);
        if (!is_full && (depth == 0 || draw(2) > 0)) {
            enter(p, open, depth, time);
            open[depth++] = p->count - 1;
        } else {
            struct trace_item *call = &p->truth[open[--depth]];
            call->duration = (int64_t)(time - call->start);
            call->longest = call->duration;
        }
    }
    p->end = time + 100;
}

static void finish_program(struct program *p)
{
    free(p->truth);
    free(p->nodes_of);
    mb_buf_finish(&p->nodes);
    mb_buf_finish(&p->samples);
}

/* At intervals that vary by so much of a hundred. */
static void sample_program(struct program *p, uint32_t interval, uint32_t jitter)
{
    size_t open[MAX_DEPTH];
    size_t depth = 0;
    size_t next = 0;
    uint32_t most = interval * jitter / 100;

    for (uint64_t t = draw(interval); t < p->end; t += interval - most + draw(2 * most + 1)) {
        /* Each call of before that is over, and those that began meanwhile. */
        for (; next < p->count && p->truth[next].start <= t; next++) {
            depth = (size_t)p->truth[next].depth;
            open[depth++] = next;
        }
        while (depth > 0 && trace_add((int64_t)p->truth[open[depth - 1]].start,
                                      p->truth[open[depth - 1]].duration) <= (int64_t)t) {
            depth--;
        }
        const struct abi_sample sample = {.time = t,
                                          .until = t,
                                          .node = depth > 0 ? p->nodes_of[open[depth - 1]] : 0,
                                          .interval_us = interval};
        mb_buf_put(&p->samples, &sample, sizeof(sample));
    }
}

/* ---- Calls ---- */

static struct trace_samples samples;
static struct trace_sampled_calls calls;
static struct trace_stack made;

static bool is_probe(const void *context, uint32_t id)
{
    (void)context;
    return id == BEAT;
}

static size_t count_samples(const struct program *p)
{
    return p->samples.size / sizeof(struct abi_sample);
}

static void make_calls(const struct program *p)
{
    static const struct abi_sample_thread threads[1];
    static struct abi_sampling_view view;
    const struct trace_probes probes = {.is_probe = is_probe};

    view = (struct abi_sampling_view){.threads = threads,
                                      .thread_count = 1,
                                      .nodes = (const void *)p->nodes.bytes,
                                      .node_count = p->nodes.size / sizeof(struct abi_stack_node),
                                      .samples = {(const void *)p->samples.bytes, NULL},
                                      .sample_counts = {count_samples(p), 0},
                                      .ns_per_unit = UNIT};
    cr_assert(eq(int, trace_samples_make(&samples, &view, UNIT, &probes, NULL), MB_OK));
    cr_assert(eq(int, trace_sampled_calls_make(&calls, &samples, 0, p->end, &made, NULL), MB_OK));
}

static void finish_all(void)
{
    trace_samples_finish(&samples);
    trace_sampled_calls_finish(&calls);
}

TestSuite(samples_calls, .fini = finish_all);

/* ---- What holds for all ---- */

static uint64_t end_of(const struct trace_item *item)
{
    return item->start + (uint64_t)item->duration;
}

static void expect_equal(const struct trace_item *a, const struct trace_item *b)
{
    cr_assert(eq(u32, a->id, b->id));
    cr_assert(eq(u64, a->start, b->start));
    cr_assert(eq(i64, a->duration, b->duration));
    cr_assert(eq(i64, a->longest, b->longest));
    cr_assert(eq(i32, a->depth, b->depth));
}

static void expect_items(const struct trace_item *expected, size_t count)
{
    cr_assert(eq(sz, made.count, count));
    for (size_t i = 0; i < count; i++) {
        expect_equal(&made.items[i], &expected[i]);
    }
}

/* Calls lie inside their callers, and behind one another. */
static void expect_tree(void)
{
    const struct trace_item *open[2 * MAX_DEPTH];
    uint64_t ends[2 * MAX_DEPTH] = {0}; /* [depth] of the last there */
    int32_t depth = 0;

    for (size_t i = 0; i < made.count; i++) {
        const struct trace_item *item = &made.items[i];
        cr_assert(le(i32, item->depth, depth));
        depth = item->depth;
        cr_assert(ge(u64, item->start, ends[depth]));
        if (depth > 0) {
            cr_assert(ge(u64, item->start, open[depth - 1]->start));
            cr_assert(le(u64, end_of(item), end_of(open[depth - 1])));
        }
        ends[depth] = end_of(item);
        open[depth++] = item;
        ends[depth] = item->start;
    }
}

/* At the time of each sample the calls are those of its stack. */
static void expect_stacks(const struct program *p)
{
    const struct abi_sample *rows = (const void *)p->samples.bytes;
    const struct abi_stack_node *nodes = (const void *)p->nodes.bytes;
    const struct trace_item *open[2 * MAX_DEPTH];
    int32_t depth = 0;
    size_t next = 0;

    for (size_t i = 0; i < count_samples(p); i++) {
        for (; next < made.count && made.items[next].start <= rows[i].time; next++) {
            depth = made.items[next].depth;
            open[depth++] = &made.items[next];
        }
        while (depth > 0 && end_of(open[depth - 1]) <= rows[i].time) {
            depth--;
        }
        uint32_t node = rows[i].node > 0 ? rows[i].node : NONE;
        for (int32_t d = depth; d > 0; d--) {
            cr_assert(ne(u32, node, NONE));
            cr_assert(eq(u32, nodes[node].id, open[d - 1]->id));
            node = nodes[node].parent;
        }
        cr_assert(eq(u32, node, NONE));
    }
}

Test(samples_calls, form_trees_of_the_stacks_that_were_seen)
{
    for (size_t round = 0; round < 1000; round++) {
        struct program p;
        run_program(&p, &(struct kind){.calls = 5 + draw(100), .longest_step = 2 + draw(30)});
        sample_program(&p, 2 + draw(60), draw(2) ? 12 : 0);
        make_calls(&p);
        expect_tree();
        expect_stacks(&p);
        finish_program(&p);
    }
}

Test(samples_calls, are_the_truth_if_samples_are_dense)
{
    for (size_t round = 0; round < 1000; round++) {
        struct program p;
        run_program(&p, &(struct kind){.calls = 5 + draw(60), .longest_step = 2 + draw(20)});
        sample_program(&p, 1, 0);
        make_calls(&p);
        expect_items(p.truth, p.count);
        finish_program(&p);
    }
}

/* Whatever cannot be had, nothing is half done: the next use is as the first. */
Test(samples_calls, fail_without_memory)
{
    bool is_done = false;
    struct program p;

    run_program(&p, &(struct kind){.calls = 3000, .longest_step = 5});
    sample_program(&p, 2, 0);
    make_calls(&p);
    for (int n = 0; !is_done; n++) {
        struct trace_sampled_calls fresh = {0};
        struct mb_error err = {0};
        allocations_left = n;
        mb_alloc_should_fail = fail_after;
        enum mb_status status = trace_sampled_calls_make(&fresh, &samples, 0, p.end, &made, &err);
        mb_alloc_should_fail = NULL;
        is_done = status == MB_OK;
        cr_assert(eq(int, is_done || status == MB_NO_MEMORY, true));
        cr_assert(
            eq(int, trace_sampled_calls_make(&fresh, &samples, 0, p.end, &made, &err), MB_OK));
        expect_stacks(&p);
        trace_sampled_calls_finish(&fresh);
    }
    finish_program(&p);
}

/* ---- How far from the truth ---- */

#define SECONDS UINT64_C(200)

static void add_methods(struct trace_methods *methods, const struct trace_item *items, size_t count)
{
    struct trace_profile profile = {0};
    size_t node_count = 0;

    cr_assert(eq(int, trace_profile_add(&profile, items, count, NULL), MB_OK));
    const struct trace_node *nodes = trace_profile_nodes(&profile, &node_count);
    cr_assert(eq(int, trace_methods_add(methods, nodes, node_count, NULL), MB_OK));
    trace_profile_finish(&profile);
}

static int64_t total_of(const struct trace_methods *methods, uint32_t id)
{
    size_t count = 0;
    const struct trace_method *rows = trace_methods_rows(methods, &count);

    for (size_t i = 0; i < count; i++) {
        if (rows[i].id == id) {
            return rows[i].total;
        }
    }
    return 0;
}

static void check_totals(const struct program *p, uint32_t interval)
{
    struct trace_methods truth = {0};
    struct trace_methods sampled = {0};
    size_t count = 0;

    add_methods(&truth, p->truth, p->count);
    add_methods(&sampled, made.items, made.count);
    const struct trace_method *rows = trace_methods_rows(&truth, &count);
    for (size_t i = 0; i < count; i++) {
        double total = (double)rows[i].total;
        double error = (double)total_of(&sampled, rows[i].id) - total;
        double squares = 2.0 * (double)rows[i].calls * interval * interval;
        cr_assert(error * error <= total * total * 0.0004 || error * error <= 9 * squares,
                  "%u, %u times: %.0f of %.0f", rows[i].id, (uint32_t)rows[i].calls, error, total);
    }
    trace_methods_finish(&truth);
    trace_methods_finish(&sampled);
}

/* Each of a at least so long meets one of its method in b. Both in the order of their starts. */
static void expect_met(const struct trace_item *a, size_t a_count, const struct trace_item *b,
                       size_t b_count, int64_t least)
{
    size_t first = 0;

    for (size_t i = 0; i < a_count; i++) {
        bool is_met = a[i].duration < least;
        if (a[i].depth == 0) {
            for (; first < b_count && end_of(&b[first]) + 100000 < a[i].start; first++) {
            }
        }
        for (size_t k = first; !is_met && k < b_count && b[k].start < end_of(&a[i]); k++) {
            is_met = b[k].id == a[i].id && end_of(&b[k]) > a[i].start;
        }
        cr_assert(is_met, "%u from %d for %d", a[i].id, (int)a[i].start, (int)a[i].duration);
    }
}

Test(samples_calls, totals_are_near_the_truth)
{
    static const uint32_t intervals[] = {1000, 5000, 10000};

    for (size_t round = 0; round < 3 * MB_COUNT(intervals); round++) {
        uint32_t interval = intervals[round % MB_COUNT(intervals)];
        struct program p;
        run_program(&p, &(struct kind){.calls = 6000, .longest_step = 150000});
        cr_assert(gt(u64, p.end, SECONDS * 1000000 / 2));
        sample_program(&p, interval, 12);
        make_calls(&p);
        check_totals(&p, interval);
        expect_met(p.truth, p.count, made.items, made.count, 4 * (int64_t)interval);
        expect_met(made.items, made.count, p.truth, p.count, 0);
        finish_program(&p);
    }
}
