#include "answer/waits.h"

#include "base/check.h"
#include "base/number.h"

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
