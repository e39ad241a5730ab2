#include "answer/waits.h"

#include "answer/building.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define CLOCKS_DIFFER 8192 /* by that part of the time at most */

/* ---- Waits of a trace ---- */

static struct mb_text thread_name(const struct answer_building *b, uint32_t index)
{
    return index < b->model->sampled.thread_count
               ? mb_text_of(b->model->sampled.threads[index].name)
               : (struct mb_text){0};
}

static uint32_t thread_id(const struct answer_building *b, uint32_t index)
{
    return index < b->model->sampled.thread_count ? b->model->sampled.threads[index].thread_id : 0;
}

static uint32_t method_at(const struct abi_sampling_view *view, uint32_t node)
{
    return node < view->node_count ? view->nodes[node].id : 0;
}

/* Or the recorder's. */
static bool is_of_jdk(const struct answer_building *b, uint32_t id)
{
    static const char *const starts[] = {"java.", "javax.",   "jdk.",
                                         "sun.",  "com.sun.", "methodbeat."};
    const struct answer_names *names = &b->model->facts.methods.names;
    struct mb_text name = names->find(names->context, id);

    for (size_t i = 0; i < MB_COUNT(starts); i++) {
        if (mb_text_starts(name, mb_text_of(starts[i]))) {
            return true;
        }
    }
    return false;
}

/* The innermost method of the program; without one, the innermost of all. */
static uint32_t program_method(const struct answer_building *b, uint32_t innermost)
{
    const struct abi_sampling_view *view = &b->model->sampled;

    for (uint32_t node = innermost; node < view->node_count; node = view->nodes[node].parent) {
        if (!is_of_jdk(b, view->nodes[node].id)) {
            return view->nodes[node].id;
        }
    }
    return method_at(view, innermost);
}

/* What takes a monitor waits for it; of locks, code of theirs does. */
static uint32_t waiting_method(const struct answer_building *b, const struct abi_block *block)
{
    return block->kind == ABI_BLOCK_MONITOR ? method_at(&b->model->sampled, block->node)
                                            : program_method(b, block->node);
}

/* Where waits were and when. */
struct noted {
    uint32_t *places;  /* [ABI_MAX_ID + 1]: locks, by the methods in which threads wait for them */
    uint64_t *last_ns; /* [thread of the samples]: when it was last seen to go on, or to wait */
};

/* The end of the profile's records of a thread. */
static uint64_t last_record_ns(const struct answer_building *b, uint32_t row)
{
    const struct trace_tree_source *source = &b->model->sections.source;
    bool is_there = row > 0 && row <= source->thread_count;
    uint64_t time = is_there ? source->threads[row - 1].last_time : 0;

    return (uint64_t)answer_ns(&b->model->facts.clock, (int64_t)(time & INT64_MAX));
}

static void note_waits(const struct answer_building *b, const struct noted *noted)
{
    const struct abi_sampling_view *view = &b->model->sampled;

    for (size_t i = 0; i < view->thread_count; i++) {
        noted->last_ns[i] = last_record_ns(b, view->threads[i].profile_row);
    }
    for (size_t run = 0; run < MB_COUNT(view->blocks); run++) {
        for (size_t i = 0; i < view->block_counts[run]; i++) {
            const struct abi_block *block = &view->blocks[run][i];
            uint64_t *last_ns = &noted->last_ns[block->thread];
            noted->places[waiting_method(b, block)] = block->lock;
            *last_ns = mb_max_u64(*last_ns, answer_sampled_ns(b, block->begin));
        }
    }
}

/* The thread went on: only nothing tells when. Records have another clock. */
static bool is_end_missing(const struct answer_building *b, const struct abi_block *block,
                           const struct noted *noted)
{
    uint64_t begin_ns = answer_sampled_ns(b, block->begin);

    return block->end == 0 &&
           noted->last_ns[block->thread] > begin_ns + MB_NS_PER_MS + begin_ns / CLOCKS_DIFFER;
}

/* Where it was taken: if that is not certain, the innermost method in which others wait for it, if
 * there is one. */
static uint32_t holding_method(const struct answer_building *b, const struct abi_block *from,
                               const uint32_t *places)
{
    const struct abi_sampling_view *view = &b->model->sampled;

    if (from->was_asked == ABI_ASKED_TAKER) {
        return method_at(view, from->owner_node);
    }
    for (uint32_t node = from->owner_node; node < view->node_count;
         node = view->nodes[node].parent) {
        if (places[view->nodes[node].id] == from->lock) {
            return view->nodes[node].id;
        }
    }
    return program_method(b, from->owner_node);
}

static struct answer_block make_block(struct answer_building *b, const struct abi_block *from,
                                      const uint32_t *places)
{
    const struct abi_sampling_view *view = &b->model->sampled;
    bool has_lock = from->lock > 0 && from->lock <= view->lock_count;
    uint64_t end_ns = from->end > 0
                          ? answer_sampled_ns(b, from->end)
                          : mb_max_u64(answer_sampled_ns(b, view->threads[from->thread].last_time),
                                       (uint64_t)answer_ns(&b->model->facts.clock,
                                                           (int64_t)(b->end & INT64_MAX)));
    uint64_t start_ns = answer_sampled_ns(b, from->begin);
    uint32_t owner = from->owner != from->thread + 1 ? from->owner : 0; /* it had got it by then */

    return (struct answer_block){
        .thread = thread_name(b, from->thread),
        .owner = owner > 0 ? thread_name(b, owner - 1) : (struct mb_text){0},
        .lock = has_lock ? mb_text_of(view->locks[from->lock - 1].class_name) : (struct mb_text){0},
        .method = waiting_method(b, from),
        .program_method = program_method(b, from->node),
        .owner_method = owner > 0 ? holding_method(b, from, places) : 0,
        .thread_id = thread_id(b, from->thread),
        .owner_id = owner > 0 ? thread_id(b, owner - 1) : 0,
        .thread_index = from->thread,
        .owner_index = owner,
        .is_open = from->end == 0,
        .is_exact = from->kind != ABI_BLOCK_PARKED,
        .start_ns = start_ns,
        .asked_ns = answer_sampled_ns(b, from->asked),
        .duration_ns = end_ns > start_ns ? (int64_t)(end_ns - start_ns) : 0,
    };
}

/* In Object.wait, and parked for what is not owned, a thread waits for work, not for a thread. */
static bool is_for_lock(const struct abi_sampling_view *view, const struct abi_block *block)
{
    const char *name = block->lock > 0 ? view->locks[block->lock - 1].class_name : "";

    return block->kind == ABI_BLOCK_MONITOR || block->owner > 0 ||
           (block->kind != ABI_BLOCK_WAITING && strstr(name, "Lock") != NULL);
}

/* A record is made when a wait is told, which is not in the order in which waits begin. */
static int compare_starts(const void *a, const void *b)
{
    const struct answer_block *x = a;
    const struct answer_block *y = b;
    int order = (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);

    return order != 0 ? order
                      : (x->thread_index > y->thread_index) - (x->thread_index < y->thread_index);
}

/* Returns how many are left out. */
static uint64_t add_trace_blocks(struct answer_building *b, const struct abi_block *blocks,
                                 size_t count, const struct noted *noted)
{
    uint64_t missing = 0;

    for (size_t i = 0; i < count; i++) {
        if (is_end_missing(b, &blocks[i], noted)) {
            missing++;
        } else if (is_for_lock(&b->model->sampled, &blocks[i])) {
            const struct answer_block block = make_block(b, &blocks[i], noted->places);
            MB_VEC_PUSH(&b->model->blocks, block);
        }
    }
    return missing;
}

static void make_blocks(struct answer_building *b, const struct noted *noted)
{
    const struct abi_sampling_view *view = &b->model->sampled;
    struct answer_blocks *blocks = &b->model->facts.blocks;
    uint64_t missing = view->lost_blocks;

    note_waits(b, noted);
    for (size_t run = 0; run < MB_COUNT(view->blocks); run++) {
        missing += add_trace_blocks(b, view->blocks[run], view->block_counts[run], noted);
    }
    if (missing > 0) {
        ANSWER_FIND(&b->model->notes, WAITS_LOST, ANSWER_COUNT("waits", missing));
    }
    blocks->rows = b->model->blocks.items;
    blocks->count = MB_VEC_COUNT(&b->model->blocks);
    MB_VEC_SORT(&b->model->blocks, compare_starts);
}

void answer_sampled_make_blocks(struct answer_building *b)
{
    const size_t threads = b->model->sampled.thread_count;
    struct noted noted = {0};

    if (threads > 0) {
        noted.places = calloc(ABI_MAX_ID + 1, sizeof(*noted.places));
        noted.last_ns = calloc(threads, sizeof(*noted.last_ns));
    }
    if (noted.places != NULL && noted.last_ns != NULL) {
        make_blocks(b, &noted);
    } else {
        b->lacks_memory = b->lacks_memory || threads > 0;
    }
    free(noted.places);
    free(noted.last_ns);
}

/* ---- Waits of one place ---- */

bool answer_is_same_wait(const struct answer_block *a, const struct answer_block *b)
{
    bool is_there = a->method == b->method || a->method == 0 || b->method == 0;

    return is_there && mb_text_equal(a->lock, b->lock) &&
           mb_text_equal(answer_name_stem(a->thread), answer_name_stem(b->thread));
}

static void add_block(union answer_waits *waits, const struct answer_block *block)
{
    size_t count = MB_VEC_COUNT(waits);
    size_t at = 0;

    while (at < count && !answer_is_same_wait(waits->items[at].first, block)) {
        at++;
    }
    if (at == count) {
        MB_VEC_PUSH(waits, (struct answer_wait){.first = block, .longest = block});
    }
    if (!waits->buf.failed) {
        struct answer_wait *row = &waits->items[at];
        bool is_better = block->owner_index > 0 || row->longest->owner_index == 0;
        bool is_longer = block->duration_ns > row->longest->duration_ns;
        row->first = row->first->method == 0 ? block : row->first;
        row->longest_ns = mb_max_i64(row->longest_ns, block->duration_ns);
        row->longest =
            is_better && (is_longer || row->longest->owner_index == 0) ? block : row->longest;
        row->count++;
        row->sum_ns = trace_add(row->sum_ns, block->duration_ns);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct answer_wait *x = a;
    const struct answer_wait *y = b;
    int order = (x->sum_ns < y->sum_ns) - (x->sum_ns > y->sum_ns);

    return order != 0 ? order : (x->first > y->first) - (x->first < y->first);
}

void answer_waits_collect(union answer_waits *waits, const struct answer_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        add_block(waits, &blocks->rows[i]);
    }
    MB_VEC_SORT(waits, by_time);
}

const struct answer_block *answer_wait_of_owner(const struct answer_blocks *blocks,
                                                const struct answer_block *block)
{
    const struct answer_block *found = NULL;

    for (size_t i = 0; i < blocks->count && block->owner_index > 0; i++) {
        const struct answer_block *other = &blocks->rows[i];
        if (other->thread_index + 1 == block->owner_index && other->start_ns <= block->asked_ns &&
            block->asked_ns < other->start_ns + (uint64_t)other->duration_ns) {
            found = other;
        }
    }
    return found;
}

const char *answer_wait_unknown(const struct answer_block *block)
{
    static const struct {
        struct mb_text lock;
        const char *why;
    } rows[] = {
        {MB_TEXT_ROW("java/util/concurrent/locks/ReentrantReadWriteLock$"),
         "whose readers are not known"},
        {MB_TEXT_ROW("java/util/concurrent/locks/StampedLock"), "whose holders are not known"},
    };

    for (size_t i = 0; i < MB_COUNT(rows) && block->owner_index == 0; i++) {
        if (mb_text_starts(block->lock, rows[i].lock)) {
            return rows[i].why;
        }
    }
    return NULL;
}

void answer_put_lock(struct mb_buf *out, struct mb_text lock)
{
    for (size_t i = 0; i < lock.size; i++) {
        const char c = lock.data[i] == '/' ? '.' : lock.data[i];
        mb_buf_put_printable(out, (struct mb_text){&c, 1});
    }
    mb_buf_put_string(out, lock.size == 0 ? "a lock" : "");
}
