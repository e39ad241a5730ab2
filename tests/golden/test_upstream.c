#include "upstream.h"

#include "abi/names.h"
#include "abi/record.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define IN(id, time) (ABI_ENTER | (uint64_t)(id) << ABI_TIME_BITS | (time))
#define OUT(id, time) ((uint64_t)(id) << ABI_TIME_BITS | (time))
#define M ABI_MESSAGE_ID

static size_t decode_count(const uint64_t *words, size_t count)
{
    const struct upstream_options options = {0};
    struct trace_stack stack;

    upstream_decode(words, count, &options, &stack);
    free(stack.items);
    return stack.count;
}

/* Seconds here would be minutes or a stack overflow in a decoder that walks or recurses. */
Test(upstream, wide_deep_and_gapped_traces_take_linear_time, .timeout = 20)
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
    /* a deeper and deeper call ends beside callers that never do: each is lost in upstream's
     * tree */
    memset(words, 0, 2 * HALF * sizeof(*words));
    words[0] = IN(1, 0);
    for (uint64_t i = 0; i + 2 < 2 * HALF / 3; i++) {
        words[1 + 3 * i] = IN(2, i);
        words[2 + 3 * i] = OUT(2, i);
        words[3 + 3 * i] = IN(3 + i, i);
    }
    words[2 * HALF - 1] = OUT(1, HALF);
    cr_expect(eq(sz, decode_count(words, 2 * HALF), 2), "gaps");
    /* exits that match nothing, over a deep stack */
    for (uint64_t i = 0; i < HALF; i++) {
        words[i] = IN(M, 1);
        words[HALF + i] = OUT(1, 1);
    }
    cr_expect(eq(sz, decode_count(words, 2 * HALF), 0), "unmatched");
    free(words);
}
