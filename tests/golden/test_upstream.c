#include "upstream.h"

#include "abi/names.h"
#include "abi/record.h"
#include "tests/trace/linear.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static size_t decode_count(const uint64_t *words, size_t count)
{
    const struct upstream_options options = {0};
    struct trace_stack stack;

    upstream_decode(words, count, &options, &stack);
    free(stack.items);
    return stack.count;
}

/* Callers that never end are lost in its tree. */
Test(upstream, wide_deep_and_gapped_traces_take_linear_time, .timeout = 20)
{
    expect_linear(decode_count, 2, 2);
}
