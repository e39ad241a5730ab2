#include "trace/samples.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#define NONE ABI_STACK_NO_NODE
#define UNIT (UINT64_C(1000) << 32 | 1) /* a microsecond */
#define BEAT 99u                        /* the method that records */
#define T 10u                           /* the interval, in units */
#define END 1000u

/* Stacks by their innermost frames. */
enum {
    A,       /* 1 */
    AB,      /* 1 2 */
    ABC,     /* 1 2 3 */
    AD,      /* 1 4 */
    AB_SITE, /* 1 2, called from another place */
    AA,      /* 1 1 */
    CUT,     /* ... 2 3 */
    CUT_IN,  /* ... 2 3 4 */
    BEAT_AB, /* 1 2 and a probe */
    BEAT_IN, /* and what it calls */
    OTHER,   /* 1, of another thread */
    NODES
};

static const struct abi_stack_node nodes[NODES] = {
    [A] = {.parent = NONE, .id = 1},
    [AB] = {.parent = A, .id = 2},
    [ABC] = {.parent = AB, .id = 3},
    [AD] = {.parent = A, .id = 4},
    [AB_SITE] = {.parent = A, .id = 2, .bci = 9},
    [AA] = {.parent = A, .id = 1},
    [CUT] = {.parent = NONE, .id = 3, .flags = ABI_STACK_CUT},
    [CUT_IN] = {.parent = CUT, .id = 4},
    [BEAT_AB] = {.parent = AB, .id = BEAT},
    [BEAT_IN] = {.parent = BEAT_AB, .id = 3},
    [OTHER] = {.parent = NONE, .id = 1, .thread = 1},
};

struct seen {
    uint64_t time;
    uint64_t until;
    uint32_t node;
    uint32_t interval; /* 0 ends */
};

/* text: "depth id start duration" of each item, ~ if sampled, + if open. */
struct samples_case {
    const char *what;
    struct seen samples[8];
    const char *text;
};

static const struct samples_case cases[] = {
    {"nothing", {{0}}, ""},
    {"one sample stands for half an interval before and behind",
     {{100, 130, AB, T}},
     "0 1 95 40~; 1 2 95 40~; "},
    {"equal stacks", {{100, 100, AB, T}, {110, 110, AB, T}}, "0 1 95 20~; 1 2 95 20~; "},
    {"a call more",
     {{100, 100, A, T}, {110, 110, ABC, T}},
     "0 1 95 20~; 1 2 105 10~; 2 3 105 10~; "},
    {"a call less", {{100, 100, ABC, T}, {110, 110, A, T}}, "0 1 95 20~; 1 2 95 10~; 2 3 95 10~; "},
    {"another call",
     {{100, 104, ABC, T}, {110, 110, AD, T}},
     "0 1 95 20~; 1 2 95 12~; 2 3 95 12~; 1 4 107 8~; "},
    {"the same method from another place",
     {{100, 100, AB, T}, {110, 110, AB_SITE, T}},
     "0 1 95 20~; 1 2 95 10~; 1 2 105 10~; "},
    {"recursion", {{100, 100, AA, T}, {110, 110, A, T}}, "0 1 95 20~; 1 1 95 10~; "},
    {"an empty stack between", /* only a probe's frames */
     {{100, 100, BEAT_IN, T}, {110, 110, BEAT_AB, T}},
     "0 1 95 20~; 1 2 95 20~; "},
    {"cut stacks have callers of their own",
     {{100, 100, CUT, T}, {110, 110, CUT_IN, T}, {120, 120, AD, T}},
     "0 3 95 20~; 1 4 105 10~; 0 1 115 10~; 1 4 115 10~; "},
    {"three intervals are no gap", {{100, 100, A, T}, {130, 130, A, T}}, "0 1 95 40~; "},
    {"more are one",
     {{100, 100, AB, T}, {131, 131, AB, T}},
     "0 1 95 10~; 1 2 95 10~; 0 1 126 10~; 1 2 126 10~; "},
    {"a wider interval is known", {{100, 100, A, T}, {131, 131, A, 2 * T}}, "0 1 95 46~; "},
    {"still open at the end", {{998, 998, A, T}}, "0 1 993 7~+; "},
    {"what goes back is left out", {{100, 100, A, T}, {90, 90, AD, T}}, "0 1 95 10~; "},
};

static struct trace_samples samples;
static struct trace_sampled_calls calls;
static struct abi_sampling_view view;

static void finish_all(void)
{
    trace_samples_finish(&samples);
    trace_sampled_calls_finish(&calls);
}

TestSuite(samples, .fini = finish_all);

static bool is_probe(const void *context, uint32_t id)
{
    (void)context;
    return id == BEAT;
}

/* All in the first run and in the second; those of another thread come between. */
static void make_samples(const struct seen *seen, struct abi_sample *made)
{
    static const struct abi_sample_thread threads[2];
    const struct trace_probes probes = {.is_probe = is_probe};
    size_t count = 0;

    for (; seen[count].interval > 0; count++) {
        made[2 * count] = (struct abi_sample){.time = 1, .node = OTHER};
        made[2 * count + 1] = (struct abi_sample){.time = seen[count].time,
                                                  .until = seen[count].until,
                                                  .node = seen[count].node,
                                                  .interval_us = seen[count].interval};
    }
    view = (struct abi_sampling_view){.threads = threads,
                                      .thread_count = 2,
                                      .nodes = nodes,
                                      .node_count = NODES,
                                      .samples = {made, made + count},
                                      .sample_counts = {count, count},
                                      .ns_per_unit = UNIT};
    cr_assert(eq(int, trace_samples_make(&samples, &view, UNIT, &probes, NULL), MB_OK));
}

static void check_case(const struct samples_case *c)
{
    struct abi_sample made[16];
    struct mb_buf text = {0};
    struct trace_stack stack;

    make_samples(c->samples, made);
    cr_assert(eq(int, trace_sampled_calls_make(&calls, &samples, 0, END, &stack, NULL), MB_OK));
    for (size_t i = 0; i < stack.count; i++) {
        const struct trace_item *item = &stack.items[i];
        mb_buf_printf(&text, "%d %u %d %d%s%s; ", item->depth, item->id, (int)item->start,
                      (int)item->duration, item->is_sampled ? "~" : "", item->is_open ? "+" : "");
    }
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, c->text, "%s: %s", c->what, (char *)text.bytes);
    mb_buf_finish(&text);
}

Test(samples, become_calls)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        check_case(&cases[i]);
    }
}

Test(samples, that_go_back_are_counted)
{
    static const struct seen seen[] = {{100, 100, A, T}, {90, 90, A, T}, {0}};
    struct abi_sample made[4];
    size_t count = 0;

    make_samples(seen, made);
    const struct trace_sample *rows = trace_samples_of(&samples, 0, &count);
    cr_expect(eq(sz, count, 1));
    cr_expect(eq(u32, rows[0].interval, T));
    cr_expect(eq(u64, samples.disordered, 1));
    (void)trace_samples_of(&samples, 1, &count);
    cr_expect(eq(sz, count, 2));
}

/* Short work between waits is not met: what does not wait has all of the samples. */
Test(samples, meet_what_runs_on)
{
    static const struct abi_sample made[] = {
        {.time = 1, .state = ABI_SAMPLE_RUNNING, .cpu_ns = 100},
        {.time = 2, .state = ABI_SAMPLE_RUNNING, .cpu_ns = 130},
        {.time = 2, .state = ABI_SAMPLE_PARKED, .cpu_ns = 7, .node = OTHER},
        {.time = 3, .state = ABI_SAMPLE_PARKED, .cpu_ns = 137},
        {.time = 4, .state = ABI_SAMPLE_PARKED, .cpu_ns = 138},
        {.time = 5, .state = ABI_SAMPLE_RUNNING, .cpu_ns = 140},
        {.time = 6, .state = ABI_SAMPLE_READY, .cpu_ns = 141},
    };
    static const struct abi_sample_thread threads[2];

    view = (struct abi_sampling_view){.threads = threads,
                                      .thread_count = 2,
                                      .nodes = nodes,
                                      .node_count = NODES,
                                      .samples = {made},
                                      .sample_counts = {MB_COUNT(made)},
                                      .ns_per_unit = UNIT};
    cr_assert(eq(int, trace_samples_make(&samples, &view, UNIT, NULL, NULL), MB_OK));
    cr_expect(eq(i64, trace_samples_sum(&samples, 0).met_ns, 30 - 7 - 1 - 2 - 1));
    cr_expect(eq(i64, trace_samples_sum(&samples, 1).met_ns, 0));
}

/* A stack held until the next was seen, at most; times become those of the words. */
Test(samples, have_the_times_of_the_words)
{
    static const struct seen seen[] = {{100, 180, A, T}, {150, 140, AB, T}, {0}};
    struct abi_sample made[4];
    size_t count = 0;

    make_samples(seen, made);
    cr_assert(
        eq(int, trace_samples_make(&samples, &view, UINT64_C(100) << 32 | 1, NULL, NULL), MB_OK));
    const struct trace_sample *rows = trace_samples_of(&samples, 0, &count);
    cr_assert(eq(sz, count, 2));
    cr_expect(eq(u64, rows[0].time, 1000));
    cr_expect(eq(u64, rows[0].until, 1500));
    cr_expect(eq(u64, rows[1].until, 1500));
    cr_expect(eq(u32, rows[1].interval, 100));
}
