#include "answer/marks.h"
#include "formats/html_calls.h"

#include "abi/names.h"
#include "abi/profile.h"
#include "abi/record.h"
#include "answer/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Calls ---- */

typedef void put_call(const struct format_html_picks *picks, const struct format_html_item *item,
                      const struct format_html_item *before, struct mb_buf *raw);

static void put_start(const struct format_html_picks *picks, const struct format_html_item *item,
                      const struct format_html_item *before, struct mb_buf *raw)
{
    (void)picks;
    format_pack_signed(raw, (int64_t)(item->start_ns - before->start_ns));
}

static void put_duration(const struct format_html_picks *picks, const struct format_html_item *item,
                         const struct format_html_item *before, struct mb_buf *raw)
{
    (void)picks;
    (void)before;
    format_pack_number(raw, item->duration_ns);
}

static void put_method(const struct format_html_picks *picks, const struct format_html_item *item,
                       const struct format_html_item *before, struct mb_buf *raw)
{
    (void)before;
    format_pack_number(raw, format_html_rank(picks, item->id));
}

/* How much deeper than the call before, and whether it was still running. */
static void put_depth(const struct format_html_picks *picks, const struct format_html_item *item,
                      const struct format_html_item *before, struct mb_buf *raw)
{
    int64_t deeper = (int64_t)(item->depth_flags >> 2) - (int64_t)(before->depth_flags >> 2);
    uint64_t size = deeper < 0 ? ~(uint64_t)deeper : (uint64_t)deeper;

    (void)picks;
    format_pack_number(raw, size << 3 | (uint64_t)(deeper < 0) << 2 | (item->depth_flags & 3));
}

static put_call *const call_columns[] = {put_start, put_duration, put_method, put_depth};

static size_t count_kept(const struct format_html_picks *picks, const struct answer_thread *thread)
{
    size_t kept = 0;
    const union format_html_items *calls = format_html_items(picks, thread);

    for (size_t i = 0; i < MB_VEC_COUNT(calls); i++) {
        kept += calls->items[i].duration_ns >= picks->least_ns;
    }
    return kept;
}

static void put_calls(const struct format_html_picks *picks, const struct answer_thread *thread,
                      struct mb_buf *raw)
{
    const union format_html_items *calls = format_html_items(picks, thread);

    format_pack_u32(raw, (uint32_t)count_kept(picks, thread));
    for (size_t c = 0; c < MB_COUNT(call_columns); c++) {
        size_t column = format_pack_begin_column(raw);
        struct format_html_item before = {0};
        for (size_t i = 0; i < MB_VEC_COUNT(calls); i++) {
            if (calls->items[i].duration_ns >= picks->least_ns) {
                call_columns[c](picks, &calls->items[i], &before, raw);
                before = calls->items[i];
            }
        }
        format_pack_end_column(raw, column);
    }
}

/* ---- Trees ---- */

/* Nodes that are kept, callers first. */
struct tree {
    const struct format_html_picks *picks;
    const struct trace_node *nodes;
    uint32_t *places; /* [node] = its number among those kept, from 1; 0: left out */
    size_t count;
};

static uint64_t part_ns(const struct answer_clock *clock, int64_t units)
{
    return units > 0 ? (uint64_t)answer_ns(clock, units) : 0;
}

static uint64_t node_value(const struct tree *tree, size_t node, size_t column)
{
    const struct answer_clock *clock = &tree->picks->facts->clock;
    const struct trace_node *n = &tree->nodes[node];

    switch (column) {
    case 0:
        return n->parent == TRACE_NO_NODE ? 0 : tree->places[node] - tree->places[n->parent];
    case 1:
        return format_html_rank(tree->picks, n->id);
    case 2:
        return n->calls;
    case 3:
        return format_html_node_ns(clock, n);
    case 5:
        return (n->is_sampled ? 2u : 0) | (n->is_idle ? 1u : 0);
    case 6:
        return part_ns(clock, n->waited);
    case 7:
        return part_ns(clock, n->ready);
    }
    return part_ns(clock, n->own);
}

#define NODE_COLUMNS 8

static void place_nodes(struct tree *tree, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct trace_node *node = &tree->nodes[i];
        bool has_place = node->parent == TRACE_NO_NODE || tree->places[node->parent] > 0;
        bool is_long =
            format_html_node_ns(&tree->picks->facts->clock, node) >= tree->picks->least_node_ns;
        tree->places[i] = has_place && is_long ? (uint32_t)++tree->count : 0;
    }
}

static size_t put_tree(const struct format_html_picks *picks, const struct answer_thread *thread,
                       struct mb_buf *raw)
{
    struct tree tree = {.picks = picks, .nodes = thread->nodes};

    tree.places = calloc(thread->node_count + 1, sizeof(*tree.places));
    if (tree.places == NULL) {
        raw->failed = true;
        return 0;
    }
    place_nodes(&tree, thread->node_count);
    format_pack_u32(raw, (uint32_t)tree.count);
    for (size_t c = 0; c < NODE_COLUMNS; c++) {
        size_t column = format_pack_begin_column(raw);
        for (size_t i = 0; i < thread->node_count; i++) {
            if (tree.places[i] > 0) {
                format_pack_number(raw, node_value(&tree, i, c));
            }
        }
        format_pack_end_column(raw, column);
    }
    free(tree.places);
    return tree.count;
}

/* What slow requests did more than usual ones, as a tree. */
static void put_slow_tree(const struct format_html_picks *picks, struct mb_buf *raw)
{
    const struct answer_requests *requests = &picks->facts->requests;
    size_t count = requests->slow_node_count;
    int64_t *more = calloc(count + 1, sizeof(*more));
    struct trace_node *nodes = calloc(count + 1, sizeof(*nodes));
    bool is_good =
        more != NULL && nodes != NULL && answer_slow_more(requests, &picks->facts->threads, more);

    for (size_t i = count; i-- > 0 && is_good;) { /* callers come first */
        const struct abi_profile_node *from = &requests->slow_nodes[i];
        struct trace_node *node = &nodes[i];
        node->id = from->id & ABI_ID_MASK;
        node->parent = from->parent < i ? from->parent : TRACE_NO_NODE;
        node->calls = from->calls;
        node->own = more[i] > 0 ? more[i] : 0;
        node->total = trace_add(node->total, node->own);
        if (node->parent != TRACE_NO_NODE) {
            nodes[node->parent].total = trace_add(nodes[node->parent].total, node->total);
        }
    }
    if (is_good) {
        (void)put_tree(picks, &(struct answer_thread){.nodes = nodes, .node_count = count}, raw);
    }
    raw->failed = raw->failed || !is_good;
    free(more);
    free(nodes);
}

/* ---- Methods ---- */

static uint64_t method_value(const struct answer_clock *clock, const struct answer_methods *methods,
                             const struct trace_method *method, size_t column)
{
    const int64_t times[] = {method->total, method->self, method->longest};
    const struct answer_marks marks =
        answer_marks_of(methods, method->id, method->inferred, method->total);

    switch (column) {
    case 0:
        return method->id;
    case 1:
        return method->calls;
    case 5:
        return answer_has_mark(&marks, ANSWER_MARK_MUTED);
    case 6:
        return marks.inferred_percent;
    case 7:
        return marks.held_count > 0 ? marks.held->id : 0;
    case 8:
        return answer_sampled_percent(methods, method->sampled, method->total);
    case 9:
        return answer_is_waiting(method);
    }
    return part_ns(clock, times[column - 2]);
}

#define METHOD_COLUMNS 10

static void put_methods(const struct format_html_picks *picks, struct mb_buf *raw)
{
    const struct trace_method *methods = picks->methods.items;
    size_t count = MB_VEC_COUNT(&picks->methods);

    format_pack_u32(raw, (uint32_t)count);
    for (size_t c = 0; c < METHOD_COLUMNS; c++) {
        size_t column = format_pack_begin_column(raw);
        for (size_t i = 0; i < count; i++) {
            format_pack_number(
                raw, method_value(&picks->facts->clock, &picks->facts->methods, &methods[i], c));
        }
        format_pack_end_column(raw, column);
    }
}

/* A line each, by rank. */
static void put_names(const struct format_html_picks *picks, struct mb_buf *raw)
{
    const struct trace_method *methods = picks->methods.items;
    size_t count = MB_VEC_COUNT(&picks->methods);

    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(raw, i > 0 ? "\n" : "");
        answer_put_name(raw, &picks->facts->methods.names, methods[i].id);
    }
}

/* ---- The head ---- */

/* From the first call to the end of the last one. */
static void find_span(const struct format_html_picks *picks, uint64_t *start_ns, uint64_t *end_ns)
{
    const struct answer_thread *const *threads = picks->threads.items;

    *start_ns = UINT64_MAX;
    *end_ns = 0;
    for (size_t t = 0; t < MB_VEC_COUNT(&picks->threads); t++) {
        const union format_html_items *calls = format_html_items(picks, threads[t]);
        for (size_t i = 0; i < MB_VEC_COUNT(calls); i++) {
            uint64_t end = calls->items[i].start_ns + calls->items[i].duration_ns;
            *start_ns = calls->items[i].start_ns < *start_ns ? calls->items[i].start_ns : *start_ns;
            *end_ns = end > *end_ns ? end : *end_ns;
        }
    }
    *start_ns = *start_ns < *end_ns ? *start_ns : *end_ns;
}

static void put_thread_head(const struct format_html_picks *picks,
                            const struct answer_thread *thread, size_t nodes, bool is_extra,
                            struct mb_buf *json)
{
    size_t count = MB_VEC_COUNT(format_html_items(picks, thread));

    mb_buf_put_string(json, "{\"name\":");
    mb_buf_put_json_string(json, thread->name);
    mb_buf_printf(json,
                  ",\"id\":%" PRIu32 ",\"main\":%s,"
                  "\"lapped\":%" PRIu64 ",\"hidden\":%zu,\"nodes\":%zu,\"extra\":%s}",
                  thread->id, thread->is_main ? "true" : "false",
                  answer_losses_of(thread)->lapped_words, count - count_kept(picks, thread), nodes,
                  is_extra ? "true" : "false");
}

static void begin_head(const struct format_html_picks *picks, struct mb_buf *json)
{
    const struct answer_recording *recording = &picks->facts->recording;
    uint64_t start_ns;
    uint64_t end_ns;
    const struct answer_thread *const *threads = picks->threads.items;
    bool is_lapped = false;

    find_span(picks, &start_ns, &end_ns);
    for (size_t i = 0; i < MB_VEC_COUNT(&picks->threads); i++) {
        is_lapped = is_lapped || answer_losses_of(threads[i])->lapped_words > 0;
    }
    mb_buf_printf(json,
                  "{\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"threshold\":%" PRId64
                  ",\"profiled\":%s,\"lapped\":%s,\"message\":%" PRId64 ",\"threads\":[",
                  start_ns, end_ns, picks->facts->messages.threshold_ns,
                  recording->has_profile ? "true" : "false", is_lapped ? "true" : "false",
                  recording->has_messages ? (int64_t)format_html_rank(picks, ABI_MESSAGE_ID) : -1);
}

/* An element ends at "</script", whatever the JSON around it. */
static void put_head(const struct mb_buf *json, struct mb_buf *out)
{
    mb_buf_fail_with(out, json);
    mb_buf_put_string(out, "<script type=\"application/json\" id=\"head\">");
    for (size_t i = 0; i < json->size; i++) {
        if (json->bytes[i] == '<') {
            mb_buf_put_string(out, "\\u003c");
        } else {
            mb_buf_put_u1(out, json->bytes[i]);
        }
    }
    mb_buf_put_string(out, "</script>\n");
}

/* ---- All ---- */

static void put_element(struct mb_buf *out, const char *what, size_t number, struct mb_buf *raw)
{
    char id[32];

    (void)snprintf(id, sizeof(id), "%s-%zu", what, number);
    format_pack_element(out, id, raw);
    mb_buf_reset(raw);
}

/* Without a profile the page makes its trees of the calls, if it has all of them. */
static void put_threads(const struct format_html_picks *picks, struct mb_buf *json,
                        struct mb_buf *out)
{
    struct mb_buf raw = {0};

    const struct answer_thread *const *threads = picks->threads.items;

    for (size_t i = 0; i < MB_VEC_COUNT(&picks->threads); i++) {
        const struct answer_thread *thread = threads[i];
        size_t nodes = 0;
        if (thread->is_profiled || picks->least_ns > 0) {
            nodes = put_tree(picks, thread, &raw);
            put_element(out, "tree", i, &raw);
        }
        put_calls(picks, thread, &raw);
        put_element(out, "calls", i, &raw);
        mb_buf_put_string(json, i > 0 ? "," : "");
        put_thread_head(picks, thread, nodes, i >= picks->facts->threads.count, json);
    }
    mb_buf_finish(&raw);
}

static void put_data(const struct format_html_picks *picks, struct mb_buf *out)
{
    struct mb_buf json = {0};
    struct mb_buf raw = {0};

    begin_head(picks, &json);
    put_threads(picks, &json, out);
    mb_buf_put_string(&json, "],\"blocks\":[");
    format_html_put_blocks(&picks->facts->blocks, &picks->facts->methods.names, &json);
    mb_buf_put_string(&json, "]}");
    put_head(&json, out);
    if (picks->facts->requests.slow_node_count > 0) {
        put_slow_tree(picks, &raw);
        format_pack_element(out, "tree-slow", &raw);
        mb_buf_reset(&raw);
    }
    put_names(picks, &raw);
    format_pack_element(out, "names", &raw);
    mb_buf_reset(&raw);
    put_methods(picks, &raw);
    format_pack_element(out, "figures", &raw);
    mb_buf_finish(&raw);
    mb_buf_finish(&json);
}

/* How much of it there is. */
static struct format_html_limits count_picked(const struct format_html_picks *picks, size_t bytes)
{
    struct format_html_limits used = {.bytes = bytes};
    const struct answer_thread *const *threads = picks->threads.items;

    for (size_t t = 0; t < MB_VEC_COUNT(&picks->threads); t++) {
        used.calls += count_kept(picks, threads[t]);
        for (size_t i = 0; i < threads[t]->node_count; i++) {
            uint64_t ns = format_html_node_ns(&picks->facts->clock, &threads[t]->nodes[i]);
            used.nodes += ns >= picks->least_node_ns;
        }
    }
    return used;
}

static struct format_html_limits put_picked(const struct format_html_calls *all,
                                            const struct answer_facts *facts,
                                            const struct format_html_limits *limits,
                                            struct mb_buf *out)
{
    struct format_html_picks picks = {.all = all, .facts = facts};
    struct format_html_limits used = {0};
    size_t start = out->size;

    format_html_pick(&picks, limits);
    if (all->failed || picks.failed) {
        out->failed = true;
    } else {
        put_data(&picks, out);
        used = count_picked(&picks, out->size - start);
    }
    format_html_picks_finish(&picks);
    return used;
}

#define MOST_TRIES 8 /* of names that need more than there is room for, any number is in vain */

/* How small it is when packed is known when it is packed: with less until it fits. */
void format_html_put_data(const struct format_html_calls *all, const struct answer_facts *facts,
                          struct format_html_limits limits, struct mb_buf *out)
{
    size_t start = out->size;

    for (int tries = 1;; tries++) {
        struct format_html_limits used = put_picked(all, facts, &limits, out);
        if (out->failed || used.bytes <= limits.bytes || used.calls + used.nodes == 0 ||
            tries == MOST_TRIES) {
            return;
        }
        double share = 0.97 * (double)limits.bytes / (double)used.bytes;
        limits.calls = (size_t)(share * (double)used.calls);
        limits.nodes = (size_t)(share * (double)used.nodes);
        out->size = start;
    }
}
