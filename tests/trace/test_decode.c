#include "trace/trace.h"

#include "abi/names.h"
#include "abi/record.h"
#include "base/arena.h"
#include "tests/support/failing.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define IN(id, time) (ABI_ENTER | (uint64_t)(id) << ABI_TIME_BITS | (time))
#define OUT(id, time) ((uint64_t)(id) << ABI_TIME_BITS | (time))
#define CATCH(id, time) OUT(ABI_CATCH_ID, time), OUT(id, time)
#define LAST_TIME ABI_TIME_MASK

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

Test(decode, kinds_of_messages_are_left_out_where_there_are_some)
{
    const uint64_t words[] = {IN(ABI_MESSAGE_ID, 1), IN(ABI_MAX_ID, 2),     IN(1, 3), OUT(1, 5),
                              OUT(ABI_MAX_ID, 6),    OUT(ABI_MESSAGE_ID, 7)};
    const struct trace_run run = {words, MB_COUNT(words)};
    struct trace_options options = {0};
    struct trace_decoder decoder = {0};
    struct trace_stack stack;

    cr_assert(eq(int, trace_decode(&decoder, &run, 1, &options, &stack, NULL), MB_OK));
    cr_assert(eq(sz, stack.count, 3));
    options.has_kinds = true;
    cr_assert(eq(int, trace_decode(&decoder, &run, 1, &options, &stack, NULL), MB_OK));
    cr_assert(eq(sz, stack.count, 2));
    cr_assert(eq(u32, stack.items[1].id, 1));
    cr_assert(eq(i32, stack.items[1].depth, 1));
    cr_assert(eq(u64, stack.losses.lost_entries, 0));
    trace_decoder_finish(&decoder);
}

/* Calls as they come in. */
struct gathering {
    struct mb_buf items;
    size_t portions;
    enum mb_status answer;
};

static enum mb_status gather(void *context, const struct trace_stack *stack, struct mb_error *err)
{
    struct gathering *gathering = context;

    (void)err;
    cr_assert(gt(sz, stack->count, 0));
    cr_assert(eq(int, stack->items[0].depth, 0), "a portion begins with an outermost call");
    mb_buf_put(&gathering->items, stack->items, stack->count * sizeof(*stack->items));
    gathering->portions++;
    return gathering->answer;
}

/* Outermost calls of 1 to 6 calls, every seventh with a lost exit, over laps of the time field. */
static size_t make_many(uint64_t *words, size_t calls)
{
    size_t count = 0;

    for (size_t i = 0; i < calls; i++) {
        uint64_t time = (LAST_TIME - 5000 + 10 * i) & LAST_TIME;
        words[count++] = IN(1, time);
        for (uint64_t k = 0; k < i % 6; k++) {
            words[count++] = IN(2 + k, time);
            words[count++] = OUT(2 + k, time);
        }
        if (i % 7 == 0) {
            words[count++] = IN(9, time);
        }
        words[count++] = OUT(1, time);
    }
    return count;
}

Test(decode, portions_are_the_whole)
{
    enum { CALLS = 20000 };
    uint64_t *words = calloc(CALLS * 16, sizeof(*words));
    const struct trace_run run = {words, make_many(words, CALLS)};
    struct gathering gathering = {0};
    const struct trace_visitor visitor = {gather, &gathering};
    struct trace_options options = {.now = (UINT64_C(2) << ABI_TIME_BITS) + 9};
    struct trace_decoder decoders[2] = {0};
    struct trace_stack whole;
    struct trace_stack rest;

    cr_assert(eq(int, trace_decode(&decoders[0], &run, 1, &options, &whole, NULL), MB_OK));
    options.visitor = &visitor;
    cr_assert(eq(int, trace_decode(&decoders[1], &run, 1, &options, &rest, NULL), MB_OK));
    cr_assert(gt(sz, gathering.portions, 5));
    cr_assert(eq(sz, rest.count, 0));
    cr_assert(eq(sz, gathering.items.size, whole.count * sizeof(*whole.items)));
    cr_assert(eq(int, memcmp(gathering.items.bytes, whole.items, gathering.items.size), 0));
    cr_assert(gt(u64, whole.losses.inferred_exits, 0));
    cr_assert(eq(int, memcmp(&whole.losses, &rest.losses, sizeof(rest.losses)), 0));
    gathering.answer = MB_IO;
    gathering.portions = 0;
    cr_assert(eq(int, trace_decode(&decoders[1], &run, 1, &options, &rest, NULL), MB_IO));
    cr_assert(eq(sz, gathering.portions, 1), "nothing is visited after a failure");
    mb_buf_finish(&gathering.items);
    trace_decoder_finish(&decoders[0]);
    trace_decoder_finish(&decoders[1]);
    free(words);
}

Test(decode, runs_out_of_memory_cleanly)
{
    const uint64_t words[] = {IN(1, 0), IN(2, 1), IN(3, 2), OUT(3, 3), OUT(1, 4)};
    const struct trace_run run = {words, MB_COUNT(words)};

    const struct trace_options options = {0};
    enum mb_status status = MB_NO_MEMORY;
    int tries = 0;
    for (; status == MB_NO_MEMORY; tries++) {
        struct trace_decoder decoder = {0};
        struct trace_stack stack;
        allocations_left = tries;
        mb_alloc_should_fail = fail_after;
        status = trace_decode(&decoder, &run, 1, &options, &stack, NULL);
        mb_alloc_should_fail = NULL;
        trace_decoder_finish(&decoder);
    }
    cr_assert(eq(int, status, MB_OK));
    cr_assert(gt(int, tries, 3));
}

/* --- catches: control is in a call again --- */

struct catch_case {
    const char *what;
    uint64_t words[12];
    size_t count;
    struct {
        uint32_t id;
        int64_t duration;
        int32_t depth;
    } items[4];
    size_t item_count;
    uint64_t lost_entries;
    uint64_t lost_exits;
};

static const struct catch_case catch_cases[] = {
    {"what is above ends, the call itself goes on",
     {IN(1, 0), IN(2, 1), IN(3, 2), CATCH(1, 10), OUT(1, 12)},
     6,
     {{1, 12, 0}, {2, 9, 1}, {3, 8, 2}},
     3,
     0,
     0},
    {"of the newest call that has nothing above it",
     {IN(1, 0), IN(2, 1), CATCH(2, 3), OUT(2, 5), OUT(1, 6)},
     6,
     {{1, 6, 0}, {2, 4, 1}},
     2,
     0,
     0},
    {"of a recursion the newest call is meant",
     {IN(1, 0), IN(1, 1), IN(2, 2), CATCH(1, 4), OUT(1, 5), OUT(1, 6)},
     7,
     {{1, 6, 0}, {1, 4, 1}, {2, 2, 2}},
     3,
     0,
     0},
    {"of a call that is not open", {IN(1, 0), CATCH(7, 2), OUT(1, 3)}, 4, {{1, 3, 0}}, 1, 1, 0},
    {"not across the message",
     {IN(1, 0), IN(ABI_MESSAGE_ID, 1), CATCH(1, 3), OUT(ABI_MESSAGE_ID, 4), OUT(1, 5)},
     6,
     {{1, 5, 0}, {ABI_MESSAGE_ID, 3, 1}},
     2,
     1,
     0},
    {"its second word alone is an exit without entry",
     {OUT(7, 1), IN(1, 2), OUT(1, 3)},
     3,
     {{1, 1, 0}},
     1,
     1,
     0},
    {"its first word alone is nothing",
     {IN(1, 0), OUT(ABI_CATCH_ID, 1), IN(2, 2), OUT(2, 3), OUT(1, 4)},
     5,
     {{1, 4, 0}, {2, 1, 1}},
     2,
     0,
     0},
};

EACH_ROW(decode, catches, catch_cases);

/* In one run, and in two that part the words of the catch. */
ParameterizedTest(size_t *row, decode, catches)
{
    const struct catch_case *c = &catch_cases[*row];
    const struct trace_options options = {0};

    for (size_t cut = 0; cut <= c->count; cut++) {
        const struct trace_run runs[] = {{c->words, cut}, {c->words + cut, c->count - cut}};
        struct trace_decoder decoder = {0};
        struct trace_stack stack;
        cr_assert(eq(int, trace_decode(&decoder, runs, 2, &options, &stack, NULL), MB_OK));
        cr_assert(eq(sz, stack.count, c->item_count), "%s", c->what);
        for (size_t i = 0; i < stack.count; i++) {
            cr_expect(eq(u32, stack.items[i].id, c->items[i].id), "%s", c->what);
            cr_expect(eq(i64, stack.items[i].duration, c->items[i].duration), "%s", c->what);
            cr_expect(eq(i32, stack.items[i].depth, c->items[i].depth), "%s", c->what);
        }
        cr_expect(eq(u64, stack.losses.lost_entries, c->lost_entries), "%s", c->what);
        cr_expect(eq(u64, stack.losses.lost_exits, c->lost_exits), "%s", c->what);
        trace_decoder_finish(&decoder);
    }
}

/* ---- Calls that were kept apart ---- */

#define MERGE_IN(id, time) (ABI_ENTER | (uint64_t)(id) << ABI_TIME_BITS | (time))
#define MERGE_OUT(id, time) ((uint64_t)(id) << ABI_TIME_BITS | (time))

struct decoded {
    struct trace_decoder decoder;
    struct trace_stack stack;
};

static void decode(struct decoded *decoded, const uint64_t *words, size_t count, bool keep_apart)
{
    const struct trace_run run = {words, count};
    const struct trace_options options = {
        .keep_apart = keep_apart, .close_open = true, .end_time = (int64_t)count};

    cr_assert(
        eq(int, trace_decode(&decoded->decoder, &run, 1, &options, &decoded->stack, NULL), MB_OK));
}

Test(merge, calls_that_are_kept_apart_have_their_own_times)
{
    const uint64_t words[] = {MERGE_IN(1, 0), MERGE_IN(2, 1),  MERGE_OUT(2, 3),
                              MERGE_IN(2, 4), MERGE_OUT(2, 9), MERGE_OUT(1, 9)};
    struct decoded apart = {0};
    struct mb_buf scratch = {0};

    decode(&apart, words, MB_COUNT(words), true);
    cr_assert(eq(sz, apart.stack.count, 3));
    cr_expect(eq(i64, apart.stack.items[1].duration, 2));
    cr_expect(eq(u64, apart.stack.items[2].start, 4));
    cr_expect(eq(i64, apart.stack.items[2].duration, 5));
    cr_assert(eq(int, trace_merge(&scratch, &apart.stack, NULL), MB_OK));
    cr_assert(eq(sz, apart.stack.count, 2));
    cr_expect(eq(i64, apart.stack.items[1].duration, 7));
    cr_expect(eq(i64, apart.stack.items[1].longest, 5));
    cr_expect(eq(u32, apart.stack.items[1].count, 2));
    mb_buf_finish(&scratch);
    trace_decoder_finish(&apart.decoder);
}

/* A walk over few methods: calls, exits, and messages. */
static size_t make_walk(uint64_t *words, size_t most, uint32_t seed)
{
    uint32_t open[64];
    size_t depth = 0;

    for (size_t i = 0; i < most; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t choice = seed >> 24;
        if (depth == 0 || (depth < 6 && choice < 120)) {
            open[depth] = choice == 7 ? ABI_MESSAGE_ID : 1 + choice % 2;
            words[i] = MERGE_IN(open[depth++], i);
        } else {
            words[i] = MERGE_OUT(open[--depth], i);
        }
    }
    return most;
}

Test(merge, what_was_kept_apart_merges_as_the_decoder_does)
{
    enum { MOST = 400, WALKS = 200 };
    uint64_t words[MOST];
    struct decoded together = {0};
    struct decoded apart = {0};
    struct mb_buf scratch = {0};
    size_t fewer = 0;

    for (uint32_t seed = 0; seed < WALKS; seed++) {
        size_t count = make_walk(words, MOST, seed);
        decode(&together, words, count, false);
        decode(&apart, words, count, true);
        size_t before = apart.stack.count;
        cr_assert(eq(int, trace_merge(&scratch, &apart.stack, NULL), MB_OK));
        cr_assert(eq(sz, apart.stack.count, together.stack.count), "walk %u", seed);
        cr_assert(eq(int,
                     memcmp(apart.stack.items, together.stack.items,
                            apart.stack.count * sizeof(*apart.stack.items)),
                     0),
                  "walk %u", seed);
        fewer += apart.stack.count < before;
    }
    cr_expect(gt(sz, fewer, WALKS / 2));
    mb_buf_finish(&scratch);
    trace_decoder_finish(&together.decoder);
    trace_decoder_finish(&apart.decoder);
}
