/* Any words give a tree (no item is deeper than a call of the one before it) and at most 30
 * trimmed items. */

#include "fuzz.h"

#include "base/check.h"
#include "trace/trace.h"

#include <string.h>

static struct trace_decoder decoder;

static void decode(const uint64_t *words, size_t count, const struct trace_options *options)
{
    struct trace_run run = {.words = words, .count = count};
    struct trace_stack stack;
    struct trace_item kept[TRACE_TRIMMED_MAX];

    if (trace_decode(&decoder, &run, 1, options, &stack, NULL) != MB_OK) {
        return;
    }
    for (size_t i = 0; i < stack.count; i++) {
        int32_t limit = i > 0 ? stack.items[i - 1].depth + 1 : 0;
        PROMISE(stack.items[i].depth >= 0 && stack.items[i].depth <= limit);
        PROMISE(stack.items[i].count > 0);
    }
    size_t kept_count = trace_trim(stack.items, stack.count, 1, kept);
    PROMISE(kept_count <= TRACE_TRIMMED_MAX && kept_count <= stack.count);
    (void)trace_key(kept, kept_count, kept_count > 0 ? kept[0].duration : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct trace_options ways[] = {
        {0},
        {.close_open = true, .end_time = 1000},
    };
    size_t count = size / sizeof(uint64_t);
    uint64_t *words = malloc((count + 1) * sizeof(*words));

    PROMISE(words != NULL);
    if (count > 0) {
        memcpy(words, bytes, count * sizeof(*words));
    }
    for (size_t i = 0; i < MB_COUNT(ways); i++) {
        decode(words, count, &ways[i]);
    }
    free(words);
    return 0;
}
