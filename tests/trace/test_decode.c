#include "trace/trace.h"

#include "abi/names.h"
#include "abi/record.h"
#include "base/arena.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#define IN(id, time) (ABI_ENTER | (uint64_t)(id) << ABI_TIME_BITS | (time))
#define OUT(id, time) ((uint64_t)(id) << ABI_TIME_BITS | (time))
#define M ABI_MESSAGE_ID
#define LAST_TIME ABI_TIME_MASK

/* words: up to 16, ended by 0. text: "depth id count duration" of each item; then what was lost. */
struct decode_case {
    const char *what;
    uint64_t words[16];
    const char *text;
    bool strict;
    int64_t end_time; /* 0: open calls are not closed */
};

static const struct decode_case cases[] = {
    {"siblings in call order",
     {IN(1, 0), IN(2, 1), OUT(2, 3), IN(3, 4), OUT(3, 9), OUT(1, 9)},
     "0 1 1 9; 1 2 1 2; 1 3 1 5; lost 0 0 0 0",
     false,
     0},
    {"equal neighbours merge",
     {IN(1, 0), IN(2, 1), OUT(2, 3), IN(2, 4), OUT(2, 9), OUT(1, 9)},
     "0 1 1 9; 1 2 2 7; lost 0 0 0 0",
     false,
     0},
    {"not at depth 0",
     {IN(1, 0), OUT(1, 1), IN(1, 2), OUT(1, 3)},
     "0 1 1 1; 0 1 1 1; lost 0 0 0 0",
     false,
     0},
    {"an exit without entry",
     {OUT(9, 0), IN(1, 1), OUT(9, 2), OUT(1, 3)},
     "0 1 1 2; lost 2 0 0 0",
     false,
     0},
    {"an entry without exit leaves no gap",
     {IN(1, 0), IN(2, 1), OUT(2, 2), IN(3, 3), IN(4, 4), OUT(4, 5), OUT(1, 6)},
     "0 1 1 6; 1 2 1 1; 1 4 1 1; lost 0 1 0 0",
     false,
     0},
    {"one that ends before it starts",
     {IN(1, 0), IN(2, 5), IN(3, 6), OUT(3, 7), OUT(2, 4), OUT(1, 9)},
     "0 1 1 9; 1 3 1 1; lost 0 0 1 0",
     false,
     0},
    {"the time field wraps", {IN(1, LAST_TIME - 1), OUT(1, 3)}, "0 1 1 5; lost 0 0 0 0", false, 0},
    {"a message that lost its exit",
     {IN(M, 0), IN(1, 1), OUT(1, 4), IN(M, 10), IN(2, 11), OUT(2, 15), OUT(M, 20)},
     "0 1 1 3; 0 1048574 1 10; 1 2 1 4; lost 0 1 0 0",
     false,
     0},
    {"a message inside a call",
     {IN(1, 0), IN(M, 1), IN(2, 2), OUT(2, 3), OUT(M, 4), OUT(1, 5)},
     "0 1 1 5; 1 1048574 1 3; 2 2 1 1; lost 0 0 0 0",
     false,
     0},
    {"an exit does not reach below the message",
     {IN(1, 0), IN(M, 1), OUT(1, 2), OUT(M, 4), OUT(1, 5)},
     "0 1 1 5; 1 1048574 1 3; lost 1 0 0 0",
     false,
     0},
    {"open at the end and dropped",
     {IN(1, 0), IN(2, 1), OUT(2, 3)},
     "0 2 1 2; lost 0 0 0 1",
     false,
     0},
    {"open at the end and closed",
     {IN(1, 0), IN(2, 1), OUT(2, 3)},
     "0 1 1 9 open; 1 2 1 2; lost 0 0 0 1",
     false,
     9},
    {"strict skips what is before the first message",
     {IN(1, 0), OUT(1, 2), IN(M, 3), OUT(M, 5)},
     "0 1048574 1 2; lost 0 0 0 0 skipped 2",
     true,
     0},
    {"nothing", {0}, "lost 0 0 0 0", false, 0},
};

static void put_stack(struct mb_buf *text, const struct trace_stack *stack)
{
    const struct trace_losses *l = &stack->losses;

    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        mb_buf_printf(text, "%d %u %u %lld%s; ", item->depth, item->id, item->count,
                      (long long)item->duration, item->is_open ? " open" : "");
    }
    mb_buf_printf(text, "lost %llu %llu %llu %llu", (unsigned long long)l->lost_entries,
                  (unsigned long long)l->lost_exits, (unsigned long long)l->time_went_back,
                  (unsigned long long)l->open_calls);
    if (l->skipped > 0) {
        mb_buf_printf(text, " skipped %llu", (unsigned long long)l->skipped);
    }
    mb_buf_put_u1(text, 0);
}

ParameterizedTestParameters(decode, follows_our_rules)
{
    static size_t rows[MB_COUNT(cases)];

    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(cases));
}

/* Also cut into two runs at every place, as a ring cuts it. */
ParameterizedTest(size_t *row, decode, follows_our_rules)
{
    const struct decode_case *c = &cases[*row];
    const struct trace_options options = {
        .strict = c->strict, .close_open = c->end_time > 0, .end_time = c->end_time};
    struct trace_decoder decoder = {0};
    struct trace_stack stack;
    struct mb_buf text = {0};
    size_t count = 0;

    while (count < MB_COUNT(c->words) && c->words[count] != 0) {
        count++;
    }
    for (size_t cut = 0; cut <= count; cut++) {
        const struct trace_run runs[] = {{c->words, cut}, {c->words + cut, count - cut}};
        mb_buf_reset(&text);
        cr_assert(eq(int, trace_decode(&decoder, runs, 2, &options, &stack, NULL), MB_OK));
        put_stack(&text, &stack);
        cr_expect_str_eq((char *)text.bytes, c->text, "%s", c->what);
    }
    mb_buf_finish(&text);
    trace_decoder_finish(&decoder);
}

Test(decode, times_are_widened_near_now)
{
    const uint64_t lap = UINT64_C(1) << ABI_TIME_BITS;
    const uint64_t words[] = {IN(1, LAST_TIME), OUT(1, 1), IN(2, 5), OUT(2, 6)};
    const struct trace_run run = {words, MB_COUNT(words)};
    const struct trace_options options = {.now = 3 * lap + 4};
    struct trace_decoder decoder = {0};
    struct trace_stack stack;

    cr_assert(eq(int, trace_decode(&decoder, &run, 1, &options, &stack, NULL), MB_OK));
    cr_assert(eq(u64, stack.items[0].start, 3 * lap - 1));
    cr_assert(eq(u64, stack.items[1].start, 3 * lap + 5));
    trace_decoder_finish(&decoder);
}

static size_t decode_count(const uint64_t *words, size_t count, bool upstream)
{
    const struct trace_run run = {words, count};
    const struct trace_options options = {.upstream = upstream};
    struct trace_decoder decoder = {0};
    struct trace_stack stack;
    struct trace_item kept[TRACE_TRIMMED_MAX];

    cr_assert(eq(int, trace_decode(&decoder, &run, 1, &options, &stack, NULL), MB_OK));
    cr_assert(le(sz, trace_trim(stack.items, stack.count, 1, kept), TRACE_TRIMMED_MAX));
    trace_decoder_finish(&decoder);
    return stack.count;
}

/* Seconds here would be minutes or a stack overflow in a decoder that walks or recurses. */
Test(decode, wide_deep_and_gapped_traces_take_linear_time, .timeout = 20)
{
    enum { HALF = 300000 };
    uint64_t *words = calloc(2 * HALF + 2, sizeof(*words));

    words[0] = IN(1, 0);
    for (uint64_t i = 0; i < HALF; i++) {
        words[1 + 2 * i] = IN(2 + i % 2, i);
        words[2 + 2 * i] = OUT(2 + i % 2, i);
    }
    words[1 + 2 * HALF] = OUT(1, HALF);
    cr_expect(eq(sz, decode_count(words, 2 * HALF + 2, false), HALF + 1), "wide");
    cr_expect(eq(sz, decode_count(words, 2 * HALF + 2, true), HALF + 1), "wide, upstream");
    for (uint64_t i = 0; i < HALF; i++) {
        words[i] = IN(1 + i, i);
        words[2 * HALF - 1 - i] = OUT(1 + i, 2 * HALF - 1 - i);
    }
    cr_expect(eq(sz, decode_count(words, 2 * HALF, false), HALF), "deep");
    cr_expect(eq(sz, decode_count(words, 2 * HALF, true), HALF), "deep, upstream");
    /* a deeper and deeper call ends beside callers that never do: each is lost in upstream's tree */
    memset(words, 0, 2 * HALF * sizeof(*words));
    words[0] = IN(1, 0);
    for (uint64_t i = 0; i + 2 < 2 * HALF / 3; i++) {
        words[1 + 3 * i] = IN(2, i);
        words[2 + 3 * i] = OUT(2, i);
        words[3 + 3 * i] = IN(3 + i, i);
    }
    words[2 * HALF - 1] = OUT(1, HALF);
    cr_expect(gt(sz, decode_count(words, 2 * HALF, false), HALF / 2), "gaps");
    cr_expect(eq(sz, decode_count(words, 2 * HALF, true), 2), "gaps, upstream");
    /* exits that match nothing, over a deep stack */
    for (uint64_t i = 0; i < HALF; i++) {
        words[i] = IN(M, 1);
        words[HALF + i] = OUT(1, 1);
    }
    cr_expect(eq(sz, decode_count(words, 2 * HALF, false), 0), "unmatched");
    cr_expect(eq(sz, decode_count(words, 2 * HALF, true), 0), "unmatched, upstream");
    free(words);
}

static int calls_left;

static int fail_after(void)
{
    return calls_left-- <= 0;
}

Test(decode, runs_out_of_memory_cleanly)
{
    const uint64_t words[] = {IN(1, 0), IN(2, 1), IN(3, 2), OUT(3, 3), OUT(1, 4)};
    const struct trace_run run = {words, MB_COUNT(words)};

    for (int upstream = 0; upstream < 2; upstream++) {
        const struct trace_options options = {.upstream = upstream == 1};
        enum mb_status status = MB_NO_MEMORY;
        int tries = 0;
        for (; status == MB_NO_MEMORY; tries++) {
            struct trace_decoder decoder = {0};
            struct trace_stack stack;
            calls_left = tries;
            mb_alloc_should_fail = fail_after;
            status = trace_decode(&decoder, &run, 1, &options, &stack, NULL);
            mb_alloc_should_fail = NULL;
            trace_decoder_finish(&decoder);
        }
        cr_assert(eq(int, status, MB_OK));
        cr_assert(gt(int, tries, 3));
    }
}
