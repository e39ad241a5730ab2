/* Wide, deep and gapped traces, which any decoder of them must take in linear time: seconds would
 * be minutes or a stack overflow in one that walks or recurses. */

#ifndef TRACE_LINEAR_H
#define TRACE_LINEAR_H

#include "abi/names.h"
#include "abi/record.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define IN(id, time) (ABI_ENTER | (uint64_t)(id) << ABI_TIME_BITS | (time))
#define OUT(id, time) ((uint64_t)(id) << ABI_TIME_BITS | (time))
#define M ABI_MESSAGE_ID

/* How many calls it finds. */
typedef size_t linear_decode_fn(const uint64_t *words, size_t count);

/* Of calls beside callers that never end it finds from least to most. */
static inline void expect_linear(linear_decode_fn *decode, size_t least, size_t most)
{
    enum { HALF = 300000 };
    uint64_t *words = calloc(2 * HALF + 2, sizeof(*words));

    words[0] = IN(1, 0);
    for (uint64_t i = 0; i < HALF; i++) {
        words[1 + 2 * i] = IN(2 + i % 2, i);
        words[2 + 2 * i] = OUT(2 + i % 2, i);
    }
    words[1 + 2 * HALF] = OUT(1, HALF);
    cr_expect(eq(sz, decode(words, 2 * HALF + 2), HALF + 1), "wide");
    for (uint64_t i = 0; i < HALF; i++) {
        words[i] = IN(1 + i, i);
        words[2 * HALF - 1 - i] = OUT(1 + i, 2 * HALF - 1 - i);
    }
    cr_expect(eq(sz, decode(words, 2 * HALF), HALF), "deep");
    /* a deeper and deeper call ends beside callers that never do */
    memset(words, 0, 2 * HALF * sizeof(*words));
    words[0] = IN(1, 0);
    for (uint64_t i = 0; i + 2 < 2 * HALF / 3; i++) {
        words[1 + 3 * i] = IN(2, i);
        words[2 + 3 * i] = OUT(2, i);
        words[3 + 3 * i] = IN(3 + i, i);
    }
    words[2 * HALF - 1] = OUT(1, HALF);
    const size_t kept = decode(words, 2 * HALF);
    cr_expect(le(sz, least, kept), "gaps");
    cr_expect(le(sz, kept, most), "gaps");
    /* exits that match nothing, over a deep stack */
    for (uint64_t i = 0; i < HALF; i++) {
        words[i] = IN(M, 1);
        words[HALF + i] = OUT(1, 1);
    }
    cr_expect(eq(sz, decode(words, 2 * HALF), 0), "unmatched");
    free(words);
}

#endif
