/* Idle loops: calls that last as long as their threads and are made to wait, as those of acceptors,
 * pollers and workers without work. A thread that hangs looks much the same: the main thread is
 * made for something else, and below the outermost call only what was seen to go round is a
 * loop. */

#include "answer/building.h"

#include "abi/names.h"
#include "base/number.h"

#include <string.h>

/* A thread's row and tree. */
struct life {
    const struct abi_profile_thread *row;
    struct trace_node *nodes;
    size_t count;
    int64_t least; /* what a call lasts that is a loop, in units */
};

static int64_t without_tenth(int64_t time)
{
    return time - time / 10;
}

static int64_t time_between(uint64_t from, uint64_t until)
{
    return until > from ? (int64_t)((until - from) & INT64_MAX) : 0;
}

static struct mb_text name_of(const struct life *life)
{
    return (struct mb_text){life->row->name, strnlen(life->row->name, ABI_TRACE_NAME_SIZE)};
}

/* By what the recorder knows, or by the name that a JVM and Android give it. */
static bool is_main(const struct life *life)
{
    return (life->row->flags & ABI_PROFILE_MAIN) != 0 ||
           mb_text_equal(name_of(life), mb_text_of("main"));
}

static bool is_known(const union answer_idle_methods *idle, const struct life *life, uint32_t id)
{
    struct mb_text stem = answer_name_stem(name_of(life));
    size_t i = 0;

    while (i < MB_VEC_COUNT(idle) &&
           !(idle->items[i].id == id && mb_text_equal(idle->items[i].stem, stem))) {
        i++;
    }
    return i < MB_VEC_COUNT(idle);
}

/* ---- Which are idle ---- */

/* Nine tenths of its thread's life, and half of the recording. */
static int64_t least_of(const struct answer_building *b, const struct abi_profile_thread *row,
                        uint64_t start)
{
    bool has_ended = (row->flags & ABI_PROFILE_ENDED) != 0;
    int64_t life = time_between(row->first_time, has_ended ? row->last_time : b->end);

    return mb_max_i64(without_tenth(life), time_between(start, b->end) / 2);
}

/* The longest call below a node, or the longest outermost one. */
static uint32_t find_longest(const struct life *life, uint32_t parent)
{
    uint32_t best = TRACE_NO_NODE;

    for (uint32_t i = parent == TRACE_NO_NODE ? 0 : parent + 1; i < life->count; i++) {
        bool is_child = life->nodes[i].parent == parent && life->nodes[i].id != ABI_MESSAGE_ID;
        if (is_child &&
            (best == TRACE_NO_NODE || life->nodes[i].longest > life->nodes[best].longest)) {
            best = i;
        }
    }
    return best != TRACE_NO_NODE && life->nodes[best].longest >= life->least ? best : TRACE_NO_NODE;
}

/* What a thread waited at least can have been outside of the one call. */
static bool does_wait(const struct answer_building *b, const struct life *life,
                      const struct trace_node *root)
{
    const struct trace_tree_source *source = &b->model->sections.source;
    size_t row = (size_t)(life->row - source->threads);
    int64_t inside = 0;

    for (size_t i = 0; i < life->count; i++) {
        bool is_outermost = life->nodes[i].parent == TRACE_NO_NODE;
        inside = trace_add(inside, is_outermost ? life->nodes[i].total : 0);
    }
    const struct trace_usage usage = trace_usage_of(source, row, inside);
    int64_t waited = trace_subtract(usage.waited, trace_subtract(inside, root->longest));
    return usage.knows_ready && waited >= without_tenth(root->longest);
}

/* Children of a node other than this one that were called as often, or more often; all of them. */
static size_t count_rivals(const struct life *life, uint32_t node, size_t *others)
{
    size_t rivals = 0;

    for (size_t i = life->nodes[node].parent + 1; i < life->count; i++) {
        if (i != node && life->nodes[i].parent == life->nodes[node].parent) {
            rivals += life->nodes[i].calls >= life->nodes[node].calls;
            (*others)++;
        }
    }
    return rivals;
}

/* What the wait itself waits in. */
static uint32_t find_inner(const struct life *life, uint32_t wait)
{
    uint32_t inner = wait + 1;

    while (inner < life->count &&
           (life->nodes[inner].parent != wait ||
            life->nodes[inner].total < without_tenth(life->nodes[wait].total))) {
        inner++;
    }
    return inner < life->count ? inner : TRACE_NO_NODE;
}

/* Itself, or in what has its time. */
static bool is_waiting(const struct life *life, uint32_t node)
{
    uint32_t last = node;

    for (uint32_t i = node; i != TRACE_NO_NODE; i = find_inner(life, i)) {
        last = i;
    }
    return life->nodes[last].waited > life->nodes[last].own / 2;
}

/* The wait for work between other calls of a loop: it is entered once more than each call beside it
 * and lasts half the thread's life. The only call of a loop may be its work. */
static uint32_t find_wait(const struct life *life, uint32_t loop)
{
    uint32_t best = loop + 1;
    size_t others = 0;

    for (uint32_t i = loop + 1; i < life->count; i++) {
        bool is_longer =
            life->nodes[best].parent != loop || life->nodes[i].total > life->nodes[best].total;
        best = life->nodes[i].parent == loop && is_longer ? i : best;
    }
    if (best >= life->count || life->nodes[best].parent != loop ||
        count_rivals(life, best, &others) > 0 || others == 0) {
        return TRACE_NO_NODE;
    }
    const struct trace_node *node = &life->nodes[best];
    bool is_wait = node->is_open && node->total >= life->least / 2 && is_waiting(life, best);
    return is_wait ? best : TRACE_NO_NODE;
}

static uint32_t find_next(const struct life *life, uint32_t node, bool is_in_wait)
{
    uint32_t next = find_longest(life, node);

    next = next != TRACE_NO_NODE ? next : find_wait(life, node);
    return next != TRACE_NO_NODE || !is_in_wait ? next : find_inner(life, node);
}

/* The loop came back to this call, and to no other as often. */
static bool goes_round(const struct life *life, uint32_t node)
{
    size_t others = 0;

    return life->nodes[node].calls > 1 && count_rivals(life, node, &others) == 0;
}

/* The last call that has all of the life is a loop by itself if it waits in several calls, or if it
 * is all that its thread does. */
static bool is_loop(const struct life *life, uint32_t node)
{
    const struct trace_node *last = &life->nodes[node];
    size_t others = 0;

    (void)count_rivals(life, node, &others);
    return last->own < last->total / 2 || (others == 0 && last->parent == TRACE_NO_NODE);
}

static void add_method(struct answer_building *b, const struct life *life, uint32_t node)
{
    const struct answer_idle_method method = {answer_name_stem(name_of(life)),
                                              life->nodes[node].id};

    if (!is_known(&b->idle, life, method.id)) {
        MB_VEC_PUSH(&b->idle, method);
    }
}

/* From the outermost call down to the last one that is known to be of a loop: one that was made
 * once may as well be stuck in its work. */
static void find_idle(struct answer_building *b, const struct life *life)
{
    uint32_t node = life->least > 0 ? find_longest(life, TRACE_NO_NODE) : TRACE_NO_NODE;
    size_t known = MB_VEC_COUNT(&b->idle);

    if (node != TRACE_NO_NODE && !does_wait(b, life, &life->nodes[node])) {
        return;
    }
    while (node != TRACE_NO_NODE) {
        bool is_wait = goes_round(life, node);
        uint32_t next = find_next(life, node, is_wait);
        add_method(b, life, node);
        if (is_wait || (next == TRACE_NO_NODE && is_loop(life, node))) {
            known = MB_VEC_COUNT(&b->idle);
        }
        node = next;
    }
    MB_VEC_CUT(&b->idle, known);
}

/* ---- Where they are ---- */

/* In a loop that had work the wait for it is called as often as what does it, or more often. A
 * stuck worker looks idle; its siblings show that it is not. */
static bool is_most_called(const struct life *life, const struct trace_node *node)
{
    bool is_most = true;

    for (size_t i = 0; node->parent != TRACE_NO_NODE && i < life->count; i++) {
        is_most = is_most &&
                  (life->nodes[i].parent != node->parent || life->nodes[i].calls <= node->calls);
    }
    return is_most;
}

/* A loop that does more than wait is one that people look for. */
static bool does_work(const struct trace_node *node)
{
    return node->own > node->total / 10 && node->waited < node->own / 2;
}

static void mark_nodes(const struct answer_building *b, const struct life *life)
{
    for (size_t i = 0; i < life->count; i++) {
        struct trace_node *node = &life->nodes[i];
        bool is_below = node->parent == TRACE_NO_NODE || life->nodes[node->parent].is_idle;
        node->is_idle = is_below && is_known(&b->idle, life, node->id) && !does_work(node) &&
                        is_most_called(life, node);
    }
}

/* When the first of all threads began. */
static uint64_t find_start(const struct trace_tree_source *source)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < source->thread_count; i++) {
        uint64_t first = source->threads[i].first_time;
        start = first < start ? first : start;
    }
    return start;
}

static struct life life_of(const struct answer_building *b, size_t row, uint64_t start)
{
    struct answer_sections *sections = &b->model->sections;
    struct trace_node *all = sections->trees.nodes.items;
    struct life life = {.row = &sections->source.threads[row]};
    const struct trace_node *nodes = trace_trees_of(&sections->trees, row, &life.count);

    life.nodes = all + (nodes - all);
    life.least = least_of(b, life.row, start);
    return life;
}

/* Any call but those of loops, and but one in which the main thread waits for all its life. */
static bool has_others(const struct answer_building *b, const struct life *life)
{
    uint32_t root = find_longest(life, TRACE_NO_NODE);
    bool has = false;

    if (is_main(life) && root != TRACE_NO_NODE && does_wait(b, life, &life->nodes[root])) {
        return false;
    }
    for (size_t i = 0; i < life->count && !has; i++) {
        has = !life->nodes[i].is_idle;
    }
    return has;
}

/* Where nothing else is left, the loops are the answer. */
enum mb_status answer_find_idle(struct answer_building *b, struct mb_error *err)
{
    const struct trace_tree_source *source = &b->model->sections.source;
    uint64_t start = find_start(source);
    bool has = false;

    for (size_t i = 0; i < source->thread_count; i++) {
        const struct life life = life_of(b, i, start);
        if (!is_main(&life)) {
            find_idle(b, &life);
        }
    }
    for (size_t i = 0; i < source->thread_count && MB_VEC_COUNT(&b->idle) > 0; i++) {
        const struct life life = life_of(b, i, start);
        if (!is_main(&life)) {
            mark_nodes(b, &life);
        }
        has = has || has_others(b, &life);
    }
    for (size_t i = 0; i < source->thread_count && !has; i++) {
        const struct life life = life_of(b, i, start);
        for (size_t k = 0; k < life.count; k++) {
            life.nodes[k].is_idle = false;
        }
    }
    return b->idle.buf.failed ? mb_fail_memory(err) : MB_OK;
}

enum mb_status answer_take_idle(struct answer_building *b, struct answer_thread *thread,
                                struct mb_error *err)
{
    size_t count = 0;
    int64_t own = 0;

    for (size_t i = 0; i < thread->node_count; i++) {
        count += thread->nodes[i].is_idle;
    }
    uint32_t *ids = MB_NEW_ARRAY(&b->model->arena, uint32_t, count + 1);
    if (ids == NULL) {
        return mb_fail_memory(err);
    }
    thread->idle_ids = ids;
    for (size_t i = 0; i < thread->node_count; i++) {
        if (thread->nodes[i].is_idle) {
            ids[thread->idle_count++] = thread->nodes[i].id;
            own = trace_add(own, thread->nodes[i].own);
        }
    }
    thread->time.idle_ns = answer_ns(&b->model->facts.clock, own);
    return MB_OK;
}

bool answer_is_idle(const struct answer_thread *thread, uint32_t id)
{
    size_t i = 0;

    while (i < thread->idle_count && thread->idle_ids[i] != id) {
        i++;
    }
    return i < thread->idle_count;
}
