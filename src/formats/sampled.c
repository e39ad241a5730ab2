/* What samples tell: a dash for what they do not know, and who waits for whom: locks that threads
 * could not get, their owners, and what those waited for in turn. */

#include "formats/text.h"

#include "answer/waits.h"
#include "answer/words.h"

#define MOST_WAITS 8

void format_put_count(struct mb_buf *out, uint64_t count, bool is_sampled, int width)
{
    if (count == 0 && is_sampled) {
        mb_buf_printf(out, "%*s", width, "-");
    } else {
        answer_put_count(out, count, width);
    }
}

/* ---- Who waits for whom ---- */

/* "for java.util.HashMap, held by worker-3 in a.B.c" */
static void put_link(const struct answer_names *names, const struct format_look *look,
                     const struct answer_block *block, struct mb_buf *out)
{
    mb_buf_put_string(out, " for ");
    answer_put_lock(out, block->lock);
    const char *unknown = answer_wait_unknown(block);
    if (unknown != NULL) {
        mb_buf_printf(out, ", %s", unknown);
    }
    if (block->owner.size > 0) {
        mb_buf_put_string(out, ", held by ");
        mb_buf_put_printable(out, block->owner);
    }
    if (block->owner_method > 0) {
        mb_buf_put_string(out, " in ");
        format_put_method(look, names, out, block->owner_method, 24);
    }
    mb_buf_put_u1(out, '\n');
}

static void put_wait(const struct answer_blocks *blocks, const struct answer_names *names,
                     const struct format_look *look, const struct answer_wait *wait,
                     struct mb_buf *out)
{
    const struct answer_block *block = wait->longest;

    mb_buf_put_string(out, "  ");
    format_put_time(out, wait->sum_ns);
    answer_put_count(out, wait->count, 6);
    mb_buf_put_u1(out, ' ');
    answer_put_time(out, wait->longest_ns, 8);
    mb_buf_put_string(out, block->is_exact ? "  " : " ~");
    mb_buf_put_printable(out, block->thread);
    if (wait->first->method > 0) {
        mb_buf_put_string(out, " in ");
        format_put_method(look, names, out, wait->first->method, 34 + block->thread.size);
    }
    mb_buf_put_u1(out, '\n');
    for (size_t depth = 0; block != NULL && depth < ANSWER_LONGEST_CHAIN; depth++) {
        mb_buf_printf(out, "%*s%s", (int)(4 + 2 * depth), "",
                      depth > 0 ? "which itself waits" : "waits");
        put_link(names, look, block, out);
        block = answer_wait_of_owner(blocks, block);
    }
}

void format_put_blocks(const struct answer_blocks *blocks, const struct answer_names *names,
                       const struct format_look *look, struct mb_buf *out)
{
    union answer_waits waits = {0};

    answer_waits_collect(&waits, blocks);
    const struct answer_wait *rows = waits.items;
    size_t count = MB_VEC_COUNT(&waits);
    size_t most = look->top < MOST_WAITS ? look->top : MOST_WAITS;
    if (count > 0) {
        format_put_heading(look, out, "Who waits for whom");
        mb_buf_printf(out, "  %8s %6s %8s  %s\n", "waited", "times", "longest", "thread");
    }
    for (size_t i = 0; i < count && i < most; i++) {
        put_wait(blocks, names, look, &rows[i], out);
    }
    if (count > most) {
        mb_buf_printf(out, "  (%zu more)\n", count - most);
    }
    mb_buf_finish_part(out, &waits.buf);
}
