#include "trace/trace.h"

#include "abi/names.h"
#include "abi/record.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define IN(id, time) (ABI_ENTER | (uint64_t)(id) << ABI_TIME_BITS | (time))
#define OUT(id, time) ((uint64_t)(id) << ABI_TIME_BITS | (time))

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
    const uint64_t words[] = {IN(1, 0), IN(2, 1), OUT(2, 3), IN(2, 4), OUT(2, 9), OUT(1, 9)};
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
            words[i] = IN(open[depth++], i);
        } else {
            words[i] = OUT(open[--depth], i);
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
