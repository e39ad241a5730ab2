/* What samples tell: a dash for what they do not know, and who waits for whom: locks that threads
 * could not get, whoever had them, and what those waited for in turn. */

#include "base/vec.h"
#include "formats/text.h"

#include "answer/words.h"

#include <stdlib.h>

#define MOST_WAITS 8
#define LONGEST_CHAIN 8

void format_put_count(struct mb_buf *out, uint64_t count, bool is_sampled, int width)
{
    if (count == 0 && is_sampled) {
        mb_buf_printf(out, "%*s", width, "-");
    } else {
        answer_put_count(out, count, width);
    }
}

/* ---- Who waits for whom ---- */

/* All waits of one place for one lock of one owner. */
struct wait {
    const struct answer_block *first;
    const struct answer_block *longest;
    uint64_t count;
    int64_t sum_ns;
};

static bool is_same(const struct answer_block *a, const struct answer_block *b)
{
    return a->method == b->method && a->owner_index == b->owner_index &&
           a->owner_method == b->owner_method && mb_text_equal(a->lock, b->lock) &&
           mb_text_equal(answer_name_stem(a->thread), answer_name_stem(b->thread));
}

MB_VEC_TYPE(waits, struct wait);

static void add_block(union waits *waits, const struct answer_block *block)
{
    size_t count = MB_VEC_COUNT(waits);
    size_t at = 0;

    while (at < count && !is_same(waits->items[at].first, block)) {
        at++;
    }
    if (at == count) {
        MB_VEC_PUSH(waits, (struct wait){.first = block, .longest = block});
    }
    if (!waits->buf.failed) {
        struct wait *row = &waits->items[at];
        row->longest = block->duration_ns > row->longest->duration_ns ? block : row->longest;
        row->count++;
        row->sum_ns = trace_add(row->sum_ns, block->duration_ns);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct wait *x = a;
    const struct wait *y = b;
    int order = (x->sum_ns < y->sum_ns) - (x->sum_ns > y->sum_ns);

    return order != 0 ? order : (x->first > y->first) - (x->first < y->first);
}

/* What the owner itself waited for meanwhile; NULL if it worked, or nobody knows. */
static const struct answer_block *wait_of_owner(const struct answer_blocks *blocks,
                                                const struct answer_block *block)
{
    const struct answer_block *found = NULL;
    uint64_t end_ns = block->start_ns + (uint64_t)block->duration_ns;

    for (size_t i = 0; i < blocks->count && block->owner_index > 0; i++) {
        const struct answer_block *other = &blocks->rows[i];
        bool is_meanwhile = other->start_ns < end_ns &&
                            other->start_ns + (uint64_t)other->duration_ns > block->start_ns;
        if (other->thread_index + 1 == block->owner_index && is_meanwhile &&
            (found == NULL || other->duration_ns > found->duration_ns)) {
            found = other;
        }
    }
    return found;
}

static void put_lock(struct mb_buf *out, struct mb_text lock)
{
    for (size_t i = 0; i < lock.size; i++) {
        const char c = lock.data[i] == '/' ? '.' : lock.data[i];
        mb_buf_put_printable(out, (struct mb_text){&c, 1});
    }
    mb_buf_put_string(out, lock.size == 0 ? "a lock" : "");
}

/* "for java.util.HashMap, held by worker-3 in a.B.c" */
static void put_link(const struct answer_facts *facts, const struct format_look *look,
                     const struct answer_block *block, struct mb_buf *out)
{
    mb_buf_put_string(out, " for ");
    put_lock(out, block->lock);
    if (block->owner.size > 0) {
        mb_buf_put_string(out, ", held by ");
        mb_buf_put_printable(out, block->owner);
    }
    if (block->owner_method > 0) {
        mb_buf_put_string(out, " in ");
        format_put_method(look, &facts->methods.names, out, block->owner_method, 24);
    }
    mb_buf_put_u1(out, '\n');
}

static void put_wait(const struct answer_facts *facts, const struct format_look *look,
                     const struct wait *wait, struct mb_buf *out)
{
    const struct answer_block *block = wait->longest;

    mb_buf_put_string(out, "  ");
    answer_put_time(out, wait->sum_ns, 8);
    mb_buf_put_u1(out, ' ');
    answer_put_count(out, wait->count, 6);
    mb_buf_put_u1(out, ' ');
    answer_put_time(out, block->duration_ns, 8);
    mb_buf_put_string(out, block->is_monitor ? "  " : " ~");
    mb_buf_put_printable(out, block->thread);
    if (block->method > 0) {
        mb_buf_put_string(out, " in ");
        format_put_method(look, &facts->methods.names, out, block->method, 34 + block->thread.size);
    }
    mb_buf_put_u1(out, '\n');
    for (size_t depth = 0; block != NULL && depth < LONGEST_CHAIN; depth++) {
        mb_buf_printf(out, "%*s%s", (int)(4 + 2 * depth), "",
                      depth > 0 ? "which waits itself" : "waits");
        put_link(facts, look, block, out);
        block = wait_of_owner(&facts->blocks, block);
    }
}

void format_put_blocks(const struct answer_facts *facts, const struct format_look *look,
                       struct mb_buf *out)
{
    union waits waits = {0};

    for (size_t i = 0; i < facts->blocks.count; i++) {
        add_block(&waits, &facts->blocks.rows[i]);
    }
    size_t count = MB_VEC_COUNT(&waits);
    size_t most = look->top < MOST_WAITS ? look->top : MOST_WAITS;
    if (count > 0) {
        MB_VEC_SORT(&waits, by_time);
        format_put_heading(look, out, "Who waits for whom");
        mb_buf_printf(out, "  %8s %6s %8s  %s\n", "waited", "times", "longest", "thread");
    }
    for (size_t i = 0; i < count && i < most; i++) {
        put_wait(facts, look, &waits.items[i], out);
    }
    if (count > most) {
        mb_buf_printf(out, "  (%zu more)\n", count - most);
    }
    out->failed = out->failed || waits.buf.failed;
    mb_buf_finish(&waits.buf);
}
