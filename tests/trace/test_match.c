#include "trace/trace.h"

#include "abi/names.h"
#include "abi/record.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
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
    int64_t end_time; /* 0: open calls are not closed */
};

static const struct decode_case cases[] = {
    {"siblings in call order",
     {IN(1, 0), IN(2, 1), OUT(2, 3), IN(3, 4), OUT(3, 9), OUT(1, 9)},
     "0 1 1 9; 1 2 1 2; 1 3 1 5; lost 0 0 0 0",
     0},
    {"equal neighbours merge",
     {IN(1, 0), IN(2, 1), OUT(2, 3), IN(2, 4), OUT(2, 9), OUT(1, 9)},
     "0 1 1 9; 1 2 2 7; lost 0 0 0 0",
     0},
    {"not at depth 0",
     {IN(1, 0), OUT(1, 1), IN(1, 2), OUT(1, 3)},
     "0 1 1 1; 0 1 1 1; lost 0 0 0 0",
     0},
    {"an exit without entry",
     {OUT(9, 0), IN(1, 1), OUT(9, 2), OUT(1, 3)},
     "0 1 1 2; lost 2 0 0 0",
     0},
    {"an entry without exit lasts until the exit around it",
     {IN(1, 0), IN(2, 1), OUT(2, 2), IN(3, 3), IN(4, 4), OUT(4, 5), OUT(1, 6)},
     "0 1 1 6; 1 2 1 1; 1 3 1 3?; 2 4 1 1; lost 0 0 0 0 inferred 1",
     0},
    {"one without exit does not merge with its brothers",
     {IN(1, 0), IN(2, 1), OUT(2, 3), IN(2, 4), OUT(1, 9), IN(1, 9), IN(2, 9), OUT(1, 9)},
     "0 1 1 9; 1 2 1 2; 1 2 1 5?; 0 1 1 0; 1 2 1 0?; lost 0 0 0 0 inferred 2",
     0},
    {"several without exit",
     {IN(1, 0), IN(2, 1), IN(3, 3), IN(4, 4), OUT(1, 6)},
     "0 1 1 6; 1 2 1 5?; 2 3 1 3?; 3 4 1 2?; lost 0 0 0 0 inferred 3",
     0},
    {"without exit in a message that ends",
     {IN(M, 0), IN(2, 1), IN(3, 3), OUT(M, 6)},
     "0 1048574 1 6; 1 2 1 5?; 2 3 1 3?; lost 0 0 0 0 inferred 2",
     0},
    {"without exit in a message that has lost its own",
     {IN(M, 0), IN(2, 1), IN(M, 6), OUT(M, 7)},
     "0 1048574 1 1; lost 0 2 0 0",
     0},
    {"one without exit that began after the exit around it",
     {IN(1, 5), IN(2, 9), OUT(1, 7)},
     "0 1 1 2; lost 0 0 1 0 inferred 1",
     0},
    {"one that ends before it starts",
     {IN(1, 0), IN(2, 5), IN(3, 6), OUT(3, 7), OUT(2, 4), OUT(1, 9)},
     "0 1 1 9; 1 3 1 1; lost 0 0 1 0",
     0},
    {"the time field wraps", {IN(1, LAST_TIME - 1), OUT(1, 3)}, "0 1 1 5; lost 0 0 0 0", 0},
    {"a message that lost its exit",
     {IN(M, 0), IN(1, 1), OUT(1, 4), IN(M, 10), IN(2, 11), OUT(2, 15), OUT(M, 20)},
     "0 1 1 3; 0 1048574 1 10; 1 2 1 4; lost 0 1 0 0",
     0},
    {"a message inside a call",
     {IN(1, 0), IN(M, 1), IN(2, 2), OUT(2, 3), OUT(M, 4), OUT(1, 5)},
     "0 1 1 5; 1 1048574 1 3; 2 2 1 1; lost 0 0 0 0",
     0},
    {"an exit does not reach below the message",
     {IN(1, 0), IN(M, 1), OUT(1, 2), OUT(M, 4), OUT(1, 5)},
     "0 1 1 5; 1 1048574 1 3; lost 1 0 0 0",
     0},
    {"open at the end and dropped", {IN(1, 0), IN(2, 1), OUT(2, 3)}, "0 2 1 2; lost 0 0 0 1", 0},
    {"open at the end and closed",
     {IN(1, 0), IN(2, 1), OUT(2, 3)},
     "0 1 1 9 open; 1 2 1 2; lost 0 0 0 1",
     9},
    {"nothing", {0}, "lost 0 0 0 0", 0},
};

static void put_stack(struct mb_buf *text, const struct trace_stack *stack)
{
    const struct trace_losses *l = &stack->losses;

    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        mb_buf_printf(text, "%d %u %u %lld%s%s; ", item->depth, item->id, item->count,
                      (long long)item->duration, item->is_open ? " open" : "",
                      item->is_inferred ? "?" : "");
    }
    mb_buf_printf(text, "lost %llu %llu %llu %llu", (unsigned long long)l->lost_entries,
                  (unsigned long long)l->lost_exits, (unsigned long long)l->time_went_back,
                  (unsigned long long)l->open_calls);
    if (l->inferred_exits > 0) {
        mb_buf_printf(text, " inferred %llu", (unsigned long long)l->inferred_exits);
    }
    mb_buf_put_u1(text, 0);
}

EACH_ROW(match, follows_our_rules, cases);

/* Also cut into two runs at every place, as a ring cuts it. */
ParameterizedTest(size_t *row, match, follows_our_rules)
{
    const struct decode_case *c = &cases[*row];
    const struct trace_options options = {.close_open = c->end_time > 0, .end_time = c->end_time};
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

static size_t decode_count(const uint64_t *words, size_t count)
{
    const struct trace_run run = {words, count};
    const struct trace_options options = {0};
    struct trace_decoder decoder = {0};
    struct trace_stack stack;
    struct trace_item kept[TRACE_TRIMMED_MAX];

    cr_assert(eq(int, trace_decode(&decoder, &run, 1, &options, &stack, NULL), MB_OK));
    cr_assert(le(sz, trace_trim(stack.items, stack.count, 1, kept), TRACE_TRIMMED_MAX));
    trace_decoder_finish(&decoder);
    return stack.count;
}

/* Seconds would be minutes, or a stack overflow, in one that walks or recurses. */
Test(match, wide_deep_and_gapped_traces_take_linear_time, .timeout = 20)
{
    enum { HALF = 300000 };
    uint64_t *words = calloc(2 * HALF + 2, sizeof(*words));

    words[0] = IN(1, 0);
    for (uint64_t i = 0; i < HALF; i++) {
        words[1 + 2 * i] = IN(2 + i % 2, i);
        words[2 + 2 * i] = OUT(2 + i % 2, i);
    }
    words[1 + 2 * HALF] = OUT(1, HALF);
    cr_expect(eq(sz, decode_count(words, 2 * HALF + 2), HALF + 1), "wide");
    for (uint64_t i = 0; i < HALF; i++) {
        words[i] = IN(1 + i, i);
        words[2 * HALF - 1 - i] = OUT(1 + i, 2 * HALF - 1 - i);
    }
    cr_expect(eq(sz, decode_count(words, 2 * HALF), HALF), "deep");
    /* a deeper and deeper call ends beside callers that never do */
    memset(words, 0, 2 * HALF * sizeof(*words));
    words[0] = IN(1, 0);
    for (uint64_t i = 0; i + 2 < 2 * HALF / 3; i++) {
        words[1 + 3 * i] = IN(2, i);
        words[2 + 3 * i] = OUT(2, i);
        words[3 + 3 * i] = IN(3 + i, i);
    }
    words[2 * HALF - 1] = OUT(1, HALF);
    const size_t kept = decode_count(words, 2 * HALF);
    cr_expect(ge(sz, kept, HALF / 2), "gaps");
    cr_expect(le(sz, kept, 2 * HALF), "gaps");
    /* exits that match nothing, over a deep stack */
    for (uint64_t i = 0; i < HALF; i++) {
        words[i] = IN(M, 1);
        words[HALF + i] = OUT(1, 1);
    }
    cr_expect(eq(sz, decode_count(words, 2 * HALF), 0), "unmatched");
    free(words);
}
