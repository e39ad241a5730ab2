#include "trace/trace.h"

#include "abi/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(key, is_the_deepest_that_lasts_long_enough)
{
    const struct trace_item items[] = {{.id = ABI_MESSAGE_ID, .duration = 1003},
                                       {.id = 1, .depth = 1, .duration = 300},
                                       {.id = 2, .depth = 2, .duration = 299},
                                       {.id = 3, .depth = 1, .duration = 300}};

    cr_assert(eq(u32, trace_key(items, 4, 1003), 1));
    cr_assert(eq(u32, trace_key(items, 1, 1003), ABI_MESSAGE_ID));
    cr_assert(eq(u32, trace_key(items, 4, 1010), ABI_MESSAGE_ID));
    cr_assert(eq(u32, trace_key(items, 0, 0), TRACE_NO_KEY));
}

Test(key, does_not_wrap)
{
    const struct trace_item items[] = {{.id = 1, .depth = 1 << 30, .duration = INT64_MAX / 2},
                                       {.id = 2, .depth = 1, .duration = INT64_MAX / 2}};

    cr_assert(eq(u32, trace_key(items, 2, INT64_MAX), 1));
}
