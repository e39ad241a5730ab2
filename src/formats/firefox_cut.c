#include "formats/firefox.h"

/* A call whose stretches are being looked at. */
struct format_firefox_open {
    uint32_t node;
    uint64_t start_ns;
    size_t place; /* of its first stretch among those that are kept */
};

struct cut {
    struct format_firefox *state; /* whose open calls are outermost first */
    struct format_firefox_stretch *stretches;
    const struct trace_node *nodes;
    size_t first; /* of the thread */
    size_t kept;
};

static size_t depth_of(const struct cut *cut, uint32_t stack)
{
    return stack != TRACE_NO_NODE ? (size_t)cut->nodes[stack].depth + 1 : 0;
}

static uint32_t caller_at(const struct cut *cut, uint32_t stack, size_t depth)
{
    while (depth_of(cut, stack) > depth) {
        stack = cut->nodes[stack].parent;
    }
    return stack;
}

static size_t open_count(const struct cut *cut)
{
    return MB_VEC_COUNT(&cut->state->open);
}

static struct format_firefox_open *open_at(const struct cut *cut, size_t depth)
{
    return &cut->state->open.items[depth];
}

/* One stretch with the one before it if that has the same stack. */
static void add_stretch(struct cut *cut, uint64_t ns, uint32_t stack)
{
    if (cut->kept == cut->first || cut->stretches[cut->kept - 1].stack != stack) {
        cut->stretches[cut->kept++] = (struct format_firefox_stretch){ns, stack};
    }
}

/* The innermost call has ended. */
static void close_call(struct cut *cut, uint64_t ns)
{
    const struct format_firefox_open call = *open_at(cut, open_count(cut) - 1);

    MB_VEC_CUT(&cut->state->open, open_count(cut) - 1);
    if (ns - call.start_ns < FORMAT_FIREFOX_SHORTEST_NS) {
        cut->kept = call.place;
        add_stretch(cut, call.start_ns, cut->nodes[call.node].parent);
    }
}

/* Calls that are in both stacks: as deep as they go. */
static size_t find_common(const struct cut *cut, uint32_t stack)
{
    size_t depth = depth_of(cut, stack);

    depth = depth < open_count(cut) ? depth : open_count(cut);
    while (depth > 0 && open_at(cut, depth - 1)->node != caller_at(cut, stack, depth)) {
        depth--;
    }
    return depth;
}

static void open_calls(struct cut *cut, uint64_t ns, uint32_t stack)
{
    for (size_t depth = open_count(cut); depth < depth_of(cut, stack); depth++) {
        const struct format_firefox_open call = {caller_at(cut, stack, depth + 1), ns, cut->kept};
        MB_VEC_PUSH(&cut->state->open, call);
    }
}

/* Whole outermost calls of a thread. */
static void cut_stretches(struct cut *cut, size_t from, size_t until)
{
    mb_buf_reset(&cut->state->open.buf);
    for (size_t i = from; i < until && !cut->state->open.buf.failed; i++) {
        const struct format_firefox_stretch next = cut->stretches[i];
        size_t common = find_common(cut, next.stack);
        while (open_count(cut) > common) {
            close_call(cut, next.start_ns);
        }
        open_calls(cut, next.start_ns, next.stack);
        add_stretch(cut, next.start_ns, next.stack);
    }
}

static void cut_rest(struct format_firefox *state)
{
    struct format_firefox_thread *threads = state->threads.items;
    size_t thread_count = MB_VEC_COUNT(&state->threads);
    size_t end = MB_VEC_COUNT(&state->stretches);
    size_t done = state->cut_stretches;
    size_t node_count;
    struct cut cut = {
        .state = state,
        .stretches = state->stretches.items,
        .nodes = trace_profile_nodes(&state->tree, &node_count),
        .kept = done,
    };

    for (size_t i = state->cut_threads; i < thread_count; i++) {
        size_t from = threads[i].first > done ? threads[i].first : done;
        size_t until = i + 1 < thread_count ? threads[i + 1].first : end;
        threads[i].first = threads[i].first > done ? cut.kept : threads[i].first;
        cut.first = threads[i].first;
        cut_stretches(&cut, from, until);
    }
    state->cut_threads = thread_count - 1;
    state->cut_stretches = cut.kept;
    MB_VEC_CUT(&state->stretches, cut.kept);
}

void format_firefox_limit(struct format_writer *writer)
{
    struct format_firefox *state = writer->state;

    state->is_cut = state->is_cut || MB_VEC_COUNT(&state->stretches) > FORMAT_FIREFOX_MOST;
    if (state->is_cut && !writer->out.failed) {
        cut_rest(state);
        mb_buf_fail_with(&writer->out, &state->open.buf);
    }
    state->last = FORMAT_FIREFOX_START;
}
