/* Whatever the sections of a trace hold, a view of its samples leads nowhere outside of it. Its
 * threads have calls that form trees. */

#include "abi/names.h"
#include "fuzz.h"
#include "trace/graft.h"
#include "trace/samples.h"

#include <string.h>

static bool is_node_or_none(const struct abi_sampling_view *view, uint32_t node)
{
    return node == ABI_STACK_NO_NODE || node < view->node_count;
}

static void check_tables(const struct abi_sampling_view *view)
{
    for (size_t i = 0; i < view->thread_count; i++) {
        PROMISE(memchr(view->threads[i].name, 0, sizeof(view->threads[i].name)) != NULL);
    }
    for (size_t i = 0; i < view->lock_count; i++) {
        PROMISE(memchr(view->locks[i].class_name, 0, sizeof(view->locks[i].class_name)) != NULL);
    }
    for (size_t i = 0; i < view->node_count; i++) {
        const struct abi_stack_node *node = &view->nodes[i];
        PROMISE(node->thread < view->thread_count && node->id <= ABI_MAX_ID);
        PROMISE(node->parent == ABI_STACK_NO_NODE || node->parent < i);
    }
}

static void check_rings(const struct abi_sampling_view *view)
{
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->sample_counts[r]; i++) {
            PROMISE(view->samples[r][i].node < view->node_count);
            PROMISE(view->samples[r][i].state < ABI_SAMPLE_STATE_COUNT);
        }
        for (size_t i = 0; i < view->block_counts[r]; i++) {
            const struct abi_block *block = &view->blocks[r][i];
            PROMISE(block->thread < view->thread_count && block->lock <= view->lock_count);
            PROMISE(block->owner <= view->thread_count && is_node_or_none(view, block->node));
            PROMISE(is_node_or_none(view, block->owner_node));
        }
    }
}

static struct trace_decoder decoder;
static struct trace_samples samples;
static struct trace_sampled_calls calls;
static struct trace_profile profile;
static struct trace_graft graft;

static bool is_probe(const void *context, uint32_t id)
{
    (void)context;
    return id == 99;
}

/* The calls of the first ring, if there is one. */
static struct trace_stack decode_ring(const struct abi_tracefile *trace)
{
    const struct trace_options options = {
        .close_open = true, .keep_apart = true, .now = trace->header.now};
    struct trace_stack stack = {0};
    struct abi_ring_view view;
    bool used = false;

    if (trace->header.ring_count > 0 && abi_tracefile_ring(trace, 0, &view, &used, NULL) == MB_OK &&
        used) {
        const struct trace_run runs[2] = {{view.runs[0], view.run_counts[0]},
                                          {view.runs[1], view.run_counts[1]}};
        PROMISE(trace_decode(&decoder, runs, 2, &options, &stack, NULL) == MB_OK);
    }
    return stack;
}

static void check_sampled(size_t thread, uint64_t end)
{
    struct trace_stack stack;
    int32_t depth = 0;

    PROMISE(trace_sampled_calls_make(&calls, &samples, thread, end, &stack, NULL) == MB_OK);
    for (size_t i = 0; i < stack.count; i++) {
        const struct trace_item *item = &stack.items[i];
        PROMISE(item->depth >= 0 && item->depth <= depth);
        PROMISE(item->is_sampled && item->duration >= 0);
        depth = item->depth + 1;
    }
}

static void check_graft(const struct trace_stack *recorded, size_t thread)
{
    static const struct abi_profile_mute mutes[] = {{.id = 7}};
    struct trace_graft_source source = {
        .samples = &samples, .thread = thread, .mutes = mutes, .mute_count = 1};
    size_t count = 0;

    trace_profile_reset(&profile);
    PROMISE(trace_profile_add(&profile, recorded->items, recorded->count, NULL) == MB_OK);
    source.nodes = trace_profile_nodes(&profile, &source.node_count);
    PROMISE(trace_graft_make(&graft, &source, NULL) == MB_OK);
    const struct trace_node *nodes = trace_profile_nodes(&graft.profile, &count);
    PROMISE(count >= source.node_count);
    for (size_t i = 0; i < count; i++) {
        PROMISE(nodes[i].parent == TRACE_NO_NODE || nodes[i].parent < i);
        bool is_same = i < source.node_count && nodes[i].own == source.nodes[i].own;
        PROMISE(is_same || (nodes[i].waited >= 0 && nodes[i].own >= nodes[i].waited));
        PROMISE(i >= source.node_count || nodes[i].calls == source.nodes[i].calls);
    }
}

static void check_calls(const struct abi_tracefile *trace, const struct abi_sampling_view *view)
{
    const struct trace_probes probes = {.is_probe = is_probe};
    const struct trace_stack recorded = decode_ring(trace);

    PROMISE(trace_samples_make(&samples, view, trace->header.ns_per_unit, &probes, NULL) == MB_OK);
    for (size_t i = 0; i < view->thread_count; i++) {
        check_sampled(i, trace->header.now);
        check_graft(&recorded, i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct abi_tracefile trace;
    struct abi_sampling_view view;
    uint8_t *copy = malloc(size > 0 ? size : 1); /* aligned, its end watched */

    PROMISE(copy != NULL);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    if (abi_tracefile_open(&trace, copy, size, NULL) == MB_OK) {
        PROMISE(abi_sampling_open(&view, &trace, NULL) == MB_OK);
        check_tables(&view);
        check_rings(&view);
        check_calls(&trace, &view);
        abi_sampling_finish(&view);
    }
    free(copy);
    return 0;
}
