#include "trace/samples.h"

#include "abi/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#define NONE ABI_STACK_NO_NODE
#define UNIT (UINT64_C(1000) << 32 | 1) /* a microsecond */
#define BEAT 99u                        /* the method that records */
#define M ABI_MESSAGE_ID
#define T 10u /* the interval, in units */
#define END 1000u

/* Stacks by their innermost frames: methods 1 to 9 have no probes, 10 and 11 do. */
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
    X,       /* 10 */
    AX,      /* 1 10 */
    AXC,     /* 1 10 3 */
    AXCY,    /* 1 10 3 11 */
    XC,      /* 10 3 */
    XCY,     /* 10 3 11 */
    XY,      /* 10 11 */
    E_,      /* 5, which dispatches messages */
    A5,      /* 1 5 */
    A5C,     /* 1 5 3 */
    A5X,     /* 1 5 10 */
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
    [X] = {.parent = NONE, .id = 10},
    [AX] = {.parent = A, .id = 10},
    [AXC] = {.parent = AX, .id = 3},
    [AXCY] = {.parent = AXC, .id = 11},
    [XC] = {.parent = X, .id = 3},
    [XCY] = {.parent = XC, .id = 11},
    [XY] = {.parent = X, .id = 11},
    [E_] = {.parent = NONE, .id = 5},
    [A5] = {.parent = A, .id = 5},
    [A5C] = {.parent = A5, .id = 3},
    [A5X] = {.parent = A5, .id = 10},
    [OTHER] = {.parent = NONE, .id = 1, .thread = 1},
};

/* Of a recorded call. count 0 ends. */
struct call {
    int32_t depth;
    uint32_t id;
    uint64_t start;
    int64_t duration;
    uint32_t count;
};

struct seen {
    uint64_t time;
    uint64_t until;
    uint32_t node;
    uint32_t interval; /* 0 ends */
};

/* text: "depth id start duration" of each item, ~ if sampled, + if open; then losses. */
struct mix_case {
    const char *what;
    struct call calls[8];
    struct seen samples[8];
    const char *text;
    uint32_t message_method;
};

static const struct mix_case cases[] = {
    {"nothing", {{0}}, {{0}}, "", 0},
    {"no samples", {{0, 10, 5, 9, 1}, {1, 11, 6, 2, 1}}, {{0}}, "0 10 5 9; 1 11 6 2; ", 0},
    {"one sample stands for half an interval before and behind",
     {{0}},
     {{100, 130, AB, T}},
     "0 1 95 40~; 1 2 95 40~; ",
     0},
    {"equal stacks", {{0}}, {{100, 100, AB, T}, {110, 110, AB, T}}, "0 1 95 20~; 1 2 95 20~; ", 0},
    {"a call more",
     {{0}},
     {{100, 100, A, T}, {110, 110, ABC, T}},
     "0 1 95 20~; 1 2 105 10~; 2 3 105 10~; ",
     0},
    {"a call less",
     {{0}},
     {{100, 100, ABC, T}, {110, 110, A, T}},
     "0 1 95 20~; 1 2 95 10~; 2 3 95 10~; ",
     0},
    {"another call",
     {{0}},
     {{100, 104, ABC, T}, {110, 110, AD, T}},
     "0 1 95 20~; 1 2 95 12~; 2 3 95 12~; 1 4 107 8~; ",
     0},
    {"the same method from another place",
     {{0}},
     {{100, 100, AB, T}, {110, 110, AB_SITE, T}},
     "0 1 95 20~; 1 2 95 10~; 1 2 105 10~; ",
     0},
    {"recursion", {{0}}, {{100, 100, AA, T}, {110, 110, A, T}}, "0 1 95 20~; 1 1 95 10~; ", 0},
    {"an empty stack between", /* only a probe's frames */
     {{0}},
     {{100, 100, BEAT_IN, T}, {110, 110, BEAT_AB, T}},
     "0 1 95 20~; 1 2 95 20~; ",
     0},
    {"cut stacks have callers of their own",
     {{0}},
     {{100, 100, CUT, T}, {110, 110, CUT_IN, T}, {120, 120, AD, T}},
     "0 3 95 20~; 1 4 105 10~; 0 1 115 10~; 1 4 115 10~; ",
     0},
    {"three intervals are no gap", {{0}}, {{100, 100, A, T}, {130, 130, A, T}}, "0 1 95 40~; ", 0},
    {"more are one",
     {{0}},
     {{100, 100, AB, T}, {131, 131, AB, T}},
     "0 1 95 10~; 1 2 95 10~; 0 1 126 10~; 1 2 126 10~; gaps 1",
     0},
    {"a wider interval is known",
     {{0}},
     {{100, 100, A, T}, {131, 131, A, 2 * T}},
     "0 1 95 46~; ",
     0},
    {"still open at the end", {{0}}, {{998, 998, A, T}}, "0 1 993 7~+; ", 0},
    {"what goes back is left out", {{0}}, {{100, 100, A, T}, {90, 90, AD, T}}, "0 1 95 10~; ", 0},
    {"inside a recorded call, up to its borders",
     {{0, 10, 98, 14, 1}},
     {{100, 100, XC, T}, {110, 110, XC, T}},
     "0 10 98 14; 1 3 98 14~; ",
     0},
    {"but no more than half an interval",
     {{0, 10, 90, 30, 1}},
     {{100, 100, XC, T}, {110, 110, XC, T}},
     "0 10 90 30; 1 3 95 20~; ",
     0},
    {"around a recorded call",
     {{0, 10, 98, 14, 1}},
     {{100, 100, AX, T}},
     "0 1 93 24~; 1 10 98 14; ",
     0},
    {"between recorded calls",
     {{0, 10, 90, 40, 1}, {1, 11, 97, 13, 1}},
     {{100, 100, XCY, T}},
     "0 10 90 40; 1 3 92 23~; 2 11 97 13; ",
     0},
    {"around and between",
     {{0, 10, 90, 40, 1}, {1, 11, 97, 13, 1}},
     {{100, 100, AXCY, T}},
     "0 1 85 50~; 1 10 90 40; 2 3 92 23~; 3 11 97 13; ",
     0},
    {"nothing changes around a call while it lasts: before it",
     {{0, 10, 103, 7, 1}},
     {{100, 100, AB, T}, {110, 110, A, T}},
     "0 1 95 20~; 1 2 95 8~; 1 10 103 7; ",
     0},
    {"or behind it",
     {{0, 10, 101, 5, 1}},
     {{100, 100, AB, T}, {110, 110, A, T}},
     "0 1 95 20~; 1 2 95 11~; 2 10 101 5; ",
     0},
    {"the last calls may be missing: they had not begun",
     {{0, 10, 90, 30, 1}, {1, 11, 100, 5, 1}},
     {{100, 100, XC, T}, {110, 110, XC, T}},
     "0 10 90 30; 1 11 100 5; 1 3 105 10~; ",
     0},
    {"but not many",
     {{0, 10, 90, 30, 1}, {1, 12, 91, 28, 1}, {2, 13, 92, 26, 1}, {3, 11, 93, 25, 1}},
     {{100, 100, XC, T}},
     "0 10 90 30; 1 12 91 28; 2 13 92 26; 3 11 93 25; unaligned 1",
     0},
    {"the outermost may be cut off",
     {{0, 10, 80, 40, 1}, {1, 11, 90, 30, 1}},
     {{100, 100, CUT_IN, T}, {110, 110, XCY, T}, {120, 120, CUT, T}},
     "0 10 80 40; 1 3 85 35~; 2 11 90 30; 3 3 95 10~; 4 4 95 10~; 0 3 120 5~; ",
     0},
    {"a recorded method is no sampled call where it begins",
     {{0, 10, 98, 14, 1}, {1, 11, 101, 5, 1}},
     {{100, 100, XY, T}},
     "0 10 98 14; 1 11 101 5; ",
     0},
    {"nor where it ended",
     {{0, 10, 80, 34, 1}, {1, 11, 91, 8, 1}},
     {{100, 100, XCY, T}},
     "0 10 80 34; 1 11 91 8; 1 3 99 6~; ",
     0},
    {"where it is not recorded, it is",
     {{0, 10, 0, 300, 1}, {1, 11, 91, 2, 1}},
     {{200, 200, XY, T}},
     "0 10 0 300; 1 11 91 2; 1 11 195 10~; ",
     0},
    {"a call of samples ends with the message",
     {{0, M, 95, 10, 1}, {0, M, 105, 10, 1}},
     {{100, 100, AB, T}, {110, 110, AB, T}},
     "0 1048574 95 10; 1 1 95 10~; 2 2 95 10~; 0 1048574 105 10; 1 1 105 10~; 2 2 105 10~; ",
     0},
    {"not one around messages, as a sample between them shows",
     {{0, M, 95, 10, 1}, {0, M, 106, 14, 1}},
     {{90, 90, AD, T}, {100, 100, A5C, T}, {110, 110, A5C, T}},
     "0 1 85 40~; 1 4 85 8~; 1 1048574 95 10; 2 5 95 10~; 3 3 95 10~; "
     "1 1048574 106 14; 2 5 106 9~; 3 3 106 9~; ",
     0},
    {"or the frame of the message",
     {{0, M, 95, 10, 1}},
     {{100, 100, A5C, T}},
     "0 1 90 20~; 1 1048574 95 10; 2 3 95 10~; ",
     5},
    {"a recorded call in a message",
     {{0, M, 95, 10, 1}, {1, 10, 96, 8, 1}},
     {{100, 100, A5X, T}},
     "0 1 90 20~; 1 1048574 95 10; 2 10 96 8; ",
     5},
};

static struct trace_samples samples;
static struct trace_mixer mixer;
static struct abi_sampling_view view;

static void finish_all(void)
{
    trace_samples_finish(&samples);
    trace_mixer_finish(&mixer);
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

static void put_mixed(struct mb_buf *text, const struct trace_mix_source *source)
{
    struct trace_stack stack;
    struct trace_mix_losses losses;

    cr_assert(eq(int, trace_mix(&mixer, source, &stack, &losses, NULL), MB_OK));
    for (size_t i = 0; i < stack.count; i++) {
        const struct trace_item *item = &stack.items[i];
        mb_buf_printf(text, "%d %u %d %d%s%s; ", item->depth, item->id, (int)item->start,
                      (int)item->duration, item->is_sampled ? "~" : "", item->is_open ? "+" : "");
    }
    if (losses.gaps > 0) {
        mb_buf_printf(text, "gaps %d", (int)losses.gaps);
    }
    if (losses.unaligned > 0) {
        mb_buf_printf(text, "unaligned %d", (int)losses.unaligned);
    }
    mb_buf_put_u1(text, 0);
}

static void check_case(const struct mix_case *c)
{
    struct trace_item items[8];
    struct abi_sample made[16];
    struct mb_buf text = {0};
    size_t count = 0;

    for (; count < 8 && c->calls[count].count > 0; count++) {
        const struct call *call = &c->calls[count];
        items[count] = (struct trace_item){.depth = call->depth,
                                           .id = call->id,
                                           .start = call->start,
                                           .duration = call->duration,
                                           .longest = call->duration,
                                           .count = 1};
    }
    make_samples(c->samples, made);
    put_mixed(&text, &(struct trace_mix_source){.samples = &samples,
                                                .items = items,
                                                .item_count = count,
                                                .end = END,
                                                .message_method = c->message_method});
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
