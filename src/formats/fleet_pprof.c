#include "formats/fleet_pprof.h"

#include "abi/identity.h"

void format_labels_add(struct format_labels *labels, int64_t key, int64_t value)
{
    if (labels->count < FORMAT_MOST_LABELS) {
        FormatPprof__Label *row = &labels->rows[labels->count++];
        format_pprof__label__init(row);
        row->has_key = row->has_str = true;
        row->key = key;
        row->str = value;
    }
}

void format_labels_add_app(struct format_labels *labels, struct mb_text app,
                           int64_t (*put)(void *context, const void *data, size_t size),
                           void *context)
{
    static const struct {
        const char *key;
        const char *label;
    } rows[] = {
        {"id", "app.id"},          {"version", "app.version"}, {"channel", "app.channel"},
        {"build", "app.build"},    {"maker", "device.maker"},  {"model", "device.model"},
        {"abi", "device.abi"},     {"os", "os.name"},          {"os_level", "os.level"},
        {"class", "device.class"},
    };

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        struct mb_text value = abi_identity_find(app, rows[i].key);
        if (value.size > 0) {
            int64_t key = put(context, rows[i].label, strlen(rows[i].label));
            format_labels_add(labels, key, put(context, value.data, value.size));
        }
    }
}

void format_labels_put(struct format_labels *labels, FormatPprof__Sample *sample)
{
    for (size_t i = 0; i < labels->count; i++) {
        labels->pointers[i] = &labels->rows[i];
    }
    sample->n_label = labels->count;
    sample->label = labels->pointers;
}

/* ---- The largest call chains ---- */

/* The totals of which the greatest are kept: those above the least, and some that equal it. */
struct bound {
    int64_t least;
    size_t equal; /* of these, in order */
};

static int compare_totals(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

MB_VEC_TYPE(totals, int64_t);

static void take_totals(union totals *totals, const struct answer_thread *thread, uint32_t depth)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        if (thread->nodes[i].depth < depth) {
            MB_VEC_PUSH(totals, thread->nodes[i].total);
        }
    }
}

static bool find_bound(const struct answer_threads *threads, size_t most, uint32_t depth,
                       struct bound *bound)
{
    union totals totals = {{0}};

    for (size_t i = 0; i < threads->count; i++) {
        take_totals(&totals, &threads->rows[i], depth);
    }
    *bound = (struct bound){INT64_MIN, SIZE_MAX};
    if (most > 0 && MB_VEC_COUNT(&totals) > most && !totals.buf.failed) {
        MB_VEC_SORT(&totals, compare_totals);
        bound->least = most > 1 ? totals.items[most - 2] : INT64_MAX;
        bound->equal = 0;
        for (size_t i = most - 1; i-- > 0 && totals.items[i] == bound->least;) {
            bound->equal++;
        }
    }
    bool is_good = !totals.buf.failed;
    mb_buf_finish(&totals.buf);
    return is_good;
}

static bool is_kept(struct bound *bound, const struct trace_node *node)
{
    return node->total > bound->least ||
           (node->total == bound->least && bound->equal > 0 && bound->equal-- > 0);
}

/* Callers stand before what they call, so the last of them come first. */
static void fold_calls(struct format_stacks *stacks, const struct answer_thread *thread,
                       int64_t *own, const bool *kept)
{
    for (size_t i = thread->node_count; i-- > 0;) {
        if (own[i] == FORMAT_NO_STACK || kept[i]) {
            continue;
        }
        if (thread->nodes[i].parent != TRACE_NO_NODE) {
            own[thread->nodes[i].parent] += own[i];
        } else {
            stacks->other += own[i];
        }
        own[i] = FORMAT_NO_STACK;
        stacks->left_out++;
    }
}

bool format_stacks_make(struct format_stacks *stacks, const struct answer_threads *threads,
                        size_t most, uint32_t depth)
{
    MB_VEC(bool) kept = {0};
    struct bound bound;
    bool is_good = find_bound(threads, most, depth, &bound);

    for (size_t i = 0; i < threads->count && is_good; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        size_t first = MB_VEC_COUNT(&stacks->own);
        mb_buf_reset(&kept.buf);
        for (size_t j = 0; j < thread->node_count; j++) {
            const struct trace_node *node = &thread->nodes[j];
            bool is_last = node->depth + 1 == depth;
            MB_VEC_PUSH(&kept, node->depth < depth && is_kept(&bound, node));
            MB_VEC_PUSH(&stacks->own, node->depth >= depth ? FORMAT_NO_STACK
                                      : is_last            ? node->total
                                                           : node->own);
        }
        is_good = !kept.buf.failed && !stacks->own.buf.failed;
        if (is_good && thread->node_count > 0) {
            fold_calls(stacks, thread, stacks->own.items + first, kept.items);
        }
    }
    mb_buf_finish(&kept.buf);
    return is_good;
}

void format_stacks_finish(struct format_stacks *stacks)
{
    mb_buf_finish(&stacks->own.buf);
}
