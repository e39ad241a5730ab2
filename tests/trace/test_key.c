/* Other keys are those of upstream's answers (golden/run_vectors.c). */

#include "trace/trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(key, does_not_wrap)
{
    const struct trace_item items[] = {{.id = 1, .depth = 1 << 30, .duration = INT64_MAX / 2},
                                       {.id = 2, .depth = 1, .duration = INT64_MAX / 2}};

    cr_assert(eq(u32, trace_key(items, 2, INT64_MAX), 1));
}
