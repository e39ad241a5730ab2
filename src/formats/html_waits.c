/* Who waits for whom: as a table, and as what the chart draws below the names of threads. */

#include "answer/waits.h"
#include "formats/html.h"
#include "formats/html_calls.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_ROWS 50
#define MOST_BLOCKS 2000 /* of the chart, the longest */

/* ---- The table ---- */

void format_html_owner(const struct answer_methods *methods, struct mb_buf *out,
                       const struct answer_block *block)
{
    if (block->owner.size > 0) {
        mb_buf_put_string(out, ", held by <b>");
        format_html_text(out, block->owner);
        mb_buf_put_string(out, "</b>");
    }
    if (block->owner_method > 0) {
        mb_buf_put_string(out, " in ");
        format_html_method(methods, out, block->owner_method, false);
    }
}

static void put_owner(const struct answer_methods *methods, const struct answer_block *block,
                      struct mb_buf *out)
{
    mb_buf_put_string(out, " for ");
    format_html_lock(out, block->lock);
    const char *unknown = answer_wait_unknown(block);
    if (unknown != NULL) {
        mb_buf_printf(out, ", %s", unknown);
    }
    format_html_owner(methods, out, block);
}

static void put_chain(const struct answer_blocks *blocks, const struct answer_methods *methods,
                      const struct answer_block *block, struct mb_buf *out)
{
    for (int depth = 1; block != NULL && depth <= ANSWER_LONGEST_CHAIN; depth++) {
        mb_buf_printf(out, "<div class=\"d%d\">%s", depth,
                      depth > 1 ? "which itself waits" : "waits");
        put_owner(methods, block, out);
        mb_buf_put_string(out, "</div>");
        block = answer_wait_of_owner(blocks, block);
    }
}

/* data-*: where the chart finds the longest of them, and its owner. */
static void put_row(const struct answer_blocks *blocks, const struct answer_methods *methods,
                    const struct answer_wait *wait, size_t number, struct mb_buf *out)
{
    const struct answer_block *block = wait->longest;

    mb_buf_printf(out, "<tr id=\"wait-%zu\" data-owner=\"%" PRIu32 "\"", number + 1,
                  block->owner_id);
    format_html_span(out, block->thread_id, block->start_ns, block->duration_ns);
    mb_buf_put_u1(out, '>');
    format_html_time_cell(out, wait->sum_ns);
    format_html_count_cell(out, wait->count);
    format_html_time_cell(out, wait->longest_ns);
    mb_buf_printf(out, "<td class=\"method\">%s<b>", block->is_exact ? "" : "~");
    format_html_text(out, block->thread);
    mb_buf_put_string(out, "</b>");
    if (wait->first->method > 0) {
        mb_buf_put_string(out, " in ");
        format_html_method(methods, out, wait->first->method, false);
    }
    put_chain(blocks, methods, block, out);
    mb_buf_put_string(out, "</td></tr>\n");
}

static void put_rows(const struct answer_blocks *blocks, const struct answer_methods *methods,
                     const union answer_waits *waits, struct mb_buf *out)
{
    const struct answer_wait *rows = waits->items;
    size_t count = MB_VEC_COUNT(waits);

    for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
        put_row(blocks, methods, &rows[i], i, out);
    }
    mb_buf_put_string(out, "</tbody></table></div>\n");
    if (count > MOST_ROWS) {
        mb_buf_printf(out, "<p class=\"more\">%zu more are not listed.</p>\n", count - MOST_ROWS);
    }
}

void format_html_waits(const struct answer_blocks *blocks, const struct answer_methods *methods,
                       struct mb_buf *out)
{
    union answer_waits waits = {0};

    answer_waits_collect(&waits, blocks);
    mb_buf_put_string(out, "<section id=\"waits\"><h2>Who waits for whom</h2>\n"
                           "<p class=\"note\">Waits for locks, and the longest of each kind with "
                           "all who hold it up. Times marked ~ are right to an interval of "
                           "samples, the others exact.</p>"
                           "<div class=\"scroll\"><table><thead><tr><th>waited</th>"
                           "<th>times</th><th>longest</th><th class=\"method\">thread</th></tr>"
                           "</thead><tbody>\n");
    put_rows(blocks, methods, &waits, out);
    mb_buf_put_string(out, "</section>\n");
    mb_buf_finish_part(out, &waits.buf);
}

/* ---- The chart ---- */

static int by_duration(const void *a, const void *b)
{
    const struct answer_block *x = *(const struct answer_block *const *)a;
    const struct answer_block *y = *(const struct answer_block *const *)b;
    int order = (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);

    return order != 0 ? order : (x > y) - (x < y);
}

/* The row of its kind in the table; 0: it is not listed. */
static size_t find_row(const union answer_waits *waits, const struct answer_block *block)
{
    const struct answer_wait *rows = waits->items;
    size_t count = MB_VEC_COUNT(waits);
    size_t at = 0;

    while (at < count && !answer_is_same_wait(rows[at].first, block)) {
        at++;
    }
    return at < count && at < MOST_ROWS ? at + 1 : 0;
}

static void put_block(const struct answer_names *names, const union answer_waits *waits,
                      const struct answer_block *block, struct mb_buf *json)
{
    struct mb_buf lock = {0};

    answer_put_lock(&lock, block->lock);
    mb_buf_printf(json,
                  "{\"thread\":%" PRIu32 ",\"owner\":%" PRIu32 ",\"start\":%" PRIu64
                  ",\"ns\":%" PRId64 ",\"row\":%zu,\"exact\":%s,\"lock\":",
                  block->thread_id, block->owner_id, block->start_ns, block->duration_ns,
                  find_row(waits, block), block->is_exact ? "true" : "false");
    mb_buf_put_json_string(json, (struct mb_text){(const char *)lock.bytes, lock.size});
    mb_buf_put_string(json, ",\"name\":");
    mb_buf_put_json_string(json, block->thread);
    mb_buf_put_string(json, ",\"ownerName\":");
    mb_buf_put_json_string(json, block->owner);
    mb_buf_put_string(json, ",\"ownerIn\":");
    answer_put_json_name(json, names, block->owner_method);
    mb_buf_put_u1(json, '}');
    mb_buf_finish_part(json, &lock);
}

void format_html_put_blocks(const struct answer_blocks *blocks, const struct answer_names *names,
                            struct mb_buf *json)
{
    const struct answer_block **rows = calloc(blocks->count + 1, sizeof(*rows));
    union answer_waits waits = {0};

    answer_waits_collect(&waits, blocks);
    json->failed = json->failed || rows == NULL || waits.buf.failed;
    for (size_t i = 0; i < blocks->count && !json->failed; i++) {
        rows[i] = &blocks->rows[i];
    }
    if (!json->failed) {
        qsort(rows, blocks->count, sizeof(*rows), by_duration);
    }
    for (size_t i = 0; i < blocks->count && i < MOST_BLOCKS && !json->failed; i++) {
        mb_buf_put_string(json, i > 0 ? "," : "");
        put_block(names, &waits, rows[i], json);
    }
    mb_buf_finish(&waits.buf);
    free(rows);
}
