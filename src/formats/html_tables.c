/* The way down, methods and threads, as tables. */

#include "answer/diff.h"
#include "answer/marks.h"
#include "formats/html.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_METHODS 100
#define MOST_THREADS 200

static void put_step(const struct answer_methods *methods, const struct answer_path *path,
                     const struct trace_node *node, size_t indent, struct mb_buf *out)
{
    const struct format_html_call call = {
        .id = node->id,
        .depth = indent,
        .calls = node->calls,
        .ns = answer_ns(path->clock, node->total),
        .whole_ns = answer_ns(path->clock, path->total),
        .is_open = node->is_open,
        .inferred_ns = answer_ns(path->clock, node->inferred),
        .sampled = node->is_sampled ? node->total : 0,
    };

    format_html_stack_row(methods, out, &call);
}

/* As far right as the call that they lead to. */
static void put_passed(size_t passed, size_t indent, struct mb_buf *out)
{
    if (passed > 0) {
        mb_buf_printf(out,
                      "<tr><td colspan=\"3\"></td><td class=\"method where d%zu\">%zu call%s in "
                      "between</td></tr>\n",
                      indent < FORMAT_HTML_DEEPEST ? indent : FORMAT_HTML_DEEPEST, passed,
                      passed == 1 ? "" : "s");
    }
}

void format_html_path(const struct answer_methods *methods, const struct answer_path *path,
                      struct mb_buf *out)
{
    const uint32_t *steps = path->steps.items;
    size_t count = MB_VEC_COUNT(&path->steps);
    size_t indent = 0;
    size_t passed = 0;
    struct mb_buf pool = {0};

    if (path->node_count == 0 || path->total <= 0) {
        return;
    }
    answer_put_pool(&pool, path->pool);
    mb_buf_put_string(out, "<section id=\"path\"><h2>Hot path of ");
    format_html_text(out, (struct mb_text){(const char *)pool.bytes, pool.size});
    mb_buf_finish_part(out, &pool);
    mb_buf_put_string(out, "</h2>\n<p class=\"note\">From the outermost calls down, always the "
                           "call with the most time.</p><div class=\"scroll\">\n");
    format_html_stack_head(out);
    for (size_t i = 0; i < count; i++) {
        if (answer_path_tells(path, i)) {
            put_passed(passed, indent, out);
            put_step(methods, path, &path->nodes[steps[i]], indent++, out);
            passed = 0;
        } else {
            passed++;
        }
    }
    uint32_t branch = answer_path_branch(path, TRACE_NO_NODE);
    for (size_t i = 0; i < ANSWER_MOST_BRANCHES && branch != TRACE_NO_NODE; i++) {
        put_step(methods, path, &path->nodes[branch], indent, out);
        branch = answer_path_branch(path, branch);
    }
    mb_buf_put_string(out, "</tbody></table></div></section>\n");
}

/* ---- Methods ---- */

static void put_method(const struct answer_clock *clock, const struct answer_methods *methods,
                       const struct trace_method *row, int64_t own_sum, struct mb_buf *out)
{
    int64_t calls = row->calls > 0 ? (int64_t)(row->calls & INT64_MAX) : 1;

    mb_buf_put_string(out, "<tr>");
    format_html_time_cell(out, answer_ns(clock, row->self));
    if (answer_is_waiting(row)) {
        mb_buf_put_string(out, FORMAT_HTML_UNKNOWN);
    } else {
        format_html_share_cell(out, row->self, own_sum);
    }
    format_html_time_cell(out, answer_ns(clock, row->total));
    if (row->calls == 0 && row->sampled > 0) {
        mb_buf_put_string(out, FORMAT_HTML_UNKNOWN FORMAT_HTML_UNKNOWN FORMAT_HTML_UNKNOWN);
    } else {
        format_html_count_cell(out, row->calls);
        format_html_time_cell(out, answer_ns(clock, row->total / calls));
        format_html_time_cell(out, answer_ns(clock, row->longest));
    }
    mb_buf_put_string(out, "<td class=\"method\">");
    format_html_method(methods, out, row->id, false);
    answer_put_inferred(out, row->inferred, row->total);
    answer_put_sampled(methods, out, row->sampled, row->total);
    mb_buf_put_string(out, answer_is_waiting(row) ? " (waits)</td></tr>\n" : "</td></tr>\n");
}

static void put_methods(const struct answer_clock *clock, const struct answer_methods *methods,
                        const struct trace_method *rows, struct mb_buf *out)
{
    int64_t own_sum = 0;

    for (size_t i = 0; i < methods->count; i++) {
        bool is_cost = rows[i].self > 0 && !answer_is_waiting(&rows[i]);
        own_sum = trace_add(own_sum, is_cost ? rows[i].self : 0);
    }
    for (size_t i = 0; i < methods->count && i < MOST_METHODS; i++) {
        put_method(clock, methods, &rows[i], own_sum, out);
    }
}

static void put_marks(struct mb_buf *out)
{
    mb_buf_put_string(out, "<p class=\"note\">");
    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        mb_buf_printf(out, "<b>%s</b> %s; ", answer_mark_infos[i].sign,
                      answer_words(answer_mark_infos[i].meaning));
    }
    mb_buf_printf(out, "<b>+</b> %s.</p>\n", answer_words(ANSWER_KIND_MARK_OPEN));
}

void format_html_methods(const struct answer_clock *clock, const struct answer_methods *methods,
                         struct mb_buf *out)
{
    struct trace_method *rows = answer_sort_methods(methods->rows, methods->count, ANSWER_BY_COST);

    if (rows == NULL) {
        out->failed = true;
        return;
    }
    mb_buf_put_string(out, "<section id=\"methods\"><h2>Methods</h2>\n<div class=\"scroll\">"
                           "<table><thead><tr><th>own</th><th>share</th><th>total</th>"
                           "<th>calls</th><th>mean</th><th>longest</th>"
                           "<th class=\"method\">method</th></tr></thead><tbody>\n");
    put_methods(clock, methods, rows, out);
    mb_buf_put_string(out, "</tbody></table></div>\n");
    if (methods->count > MOST_METHODS) {
        mb_buf_printf(out, "<p class=\"more\">The first %d of %zu, by own time.</p>\n",
                      MOST_METHODS, methods->count);
    }
    put_marks(out);
    mb_buf_put_string(out, "</section>\n");
    free(rows);
}

/* ---- What changed ---- */

static void put_count_of(const struct trace_method *method, struct mb_buf *out)
{
    if (method != NULL) {
        format_html_count_cell(out, method->calls);
    } else {
        mb_buf_put_string(out, FORMAT_HTML_UNKNOWN);
    }
}

/* For the chart's colours. */
static void put_changed(const struct answer_diff *diff, const struct answer_pair *pair,
                        struct mb_buf *out)
{
    struct mb_buf name = {0};

    answer_put_name(&name, &answer_pair_methods(diff, pair)->names, pair->id);
    mb_buf_printf(out, " data-change=\"%" PRId64 "\" data-method=\"", answer_pair_change(pair));
    format_html_text(out, (struct mb_text){(const char *)name.bytes, name.size});
    mb_buf_put_u1(out, '"');
    mb_buf_finish_part(out, &name);
}

static void put_pair(const struct answer_diff *diff, const struct answer_pair *pair,
                     struct mb_buf *out)
{
    mb_buf_put_string(out, "<tr");
    if (!pair->is_wait) {
        put_changed(diff, pair, out);
    }
    mb_buf_put_u1(out, '>');
    format_html_time_cell(out, answer_pair_change(pair));
    format_html_time_cell(out, pair->old_ns);
    format_html_time_cell(out, pair->new_ns);
    put_count_of(pair->old, out);
    put_count_of(pair->new, out);
    mb_buf_printf(out, "<td>%s</td><td class=\"method\">", answer_pair_word(pair));
    format_html_method(answer_pair_methods(diff, pair), out, pair->id, false);
    mb_buf_put_string(out, "</td></tr>\n");
}

static void put_pairs(const struct answer_diff *diff, struct mb_buf *out)
{
    const struct answer_pair *pairs = diff->pairs.items;
    size_t count = diff->pairs.buf.failed ? 0 : diff->certain;

    mb_buf_put_string(out, "<div class=\"scroll\"><table><thead><tr><th>change of own</th>"
                           "<th>was</th><th>is</th><th>calls</th><th>are</th><th></th>"
                           "<th class=\"method\">method</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count && i < MOST_METHODS; i++) {
        put_pair(diff, &pairs[i], out);
    }
    mb_buf_put_string(out, "</tbody></table></div>\n");
}

void format_html_diff(const struct answer_facts *old, const struct answer_facts *new,
                      struct mb_buf *out)
{
    struct answer_diff diff = {0};
    struct answer_findings verdict = {0};
    struct answer_findings noise = {0};
    const struct answer_voice voice = {.names = &new->methods.names, .put = format_html_piece};

    answer_diff_make(&diff, old, new);
    answer_find_verdict(&verdict, &diff);
    answer_find_noise(&noise, &diff);
    mb_buf_put_string(out, "<section id=\"changes\"><h2>Changes since the old trace</h2>\n"
                           "<p class=\"lead\">");
    answer_put_sentences(out, &verdict, &voice);
    mb_buf_put_string(out, "</p>\n");
    if (diff.certain > 0) {
        put_pairs(&diff, out);
    }
    if (MB_VEC_COUNT(&noise.rows) > 0) {
        mb_buf_put_string(out, "<p class=\"more\">Left out: ");
        answer_put_sentences(out, &noise, &voice);
        mb_buf_put_string(out, ".</p>\n");
    }
    mb_buf_put_string(out, "</section>\n");
    mb_buf_fail_with(out, &diff.pairs.buf);
    mb_buf_fail_with(out, &noise.rows.buf);
    answer_diff_finish(&diff);
    answer_findings_finish(&verdict);
    answer_findings_finish(&noise);
}

/* ---- Threads ---- */

static void put_thread(const struct answer_thread *thread, int64_t most_ns, struct mb_buf *out)
{
    const struct answer_losses *losses = answer_losses_of(thread);
    uint64_t lost = losses->missing_words + losses->unseen_words +
                    (thread->is_profiled ? 0 : losses->lapped_words);

    mb_buf_put_string(out, "<tr>");
    format_html_time_cell(out, thread->time.busy_ns);
    format_html_share_cell(out, thread->time.busy_ns, most_ns);
    const int64_t parts[] = {thread->time.worked_ns, thread->time.ready_ns, thread->time.waited_ns};
    for (size_t i = 0; i < MB_COUNT(parts); i++) {
        if (thread->time.has_cpu) {
            format_html_time_cell(out, parts[i]);
        } else {
            mb_buf_put_string(out, FORMAT_HTML_UNKNOWN);
        }
    }
    if (thread->calls == 0 && answer_thread_has_calls(thread)) {
        mb_buf_put_string(out, FORMAT_HTML_UNKNOWN);
    } else {
        format_html_count_cell(out, thread->calls);
    }
    format_html_count_cell(out, losses->read.words);
    format_html_count_cell(out, lost);
    mb_buf_put_string(out, "<td class=\"method\"><span class=\"name\">");
    format_html_text(out, thread->name);
    mb_buf_printf(out, "</span> <span class=\"where\">%" PRIu32 "%s", thread->id,
                  thread->is_main ? ", main" : "");
    answer_put_members(out, thread, thread->member_count);
    mb_buf_put_string(out, "</span></td></tr>\n");
}

/* In the order of their pools. */
static void put_threads(const struct answer_threads *threads, const union answer_pools *pools,
                        int64_t most_ns, struct mb_buf *out)
{
    size_t shown = 0;

    for (size_t p = 0; p < MB_VEC_COUNT(pools); p++) {
        for (size_t i = 0; i < threads->count && shown < MOST_THREADS; i++) {
            if (answer_pool_has(&pools->items[p], &threads->rows[i])) {
                put_thread(&threads->rows[i], most_ns, out);
                shown++;
            }
        }
    }
}

void format_html_threads(const struct answer_threads *threads, const union answer_pools *pools,
                         struct mb_buf *out)
{
    int64_t most_ns = 0;

    for (size_t i = 0; i < threads->count; i++) {
        int64_t ns = threads->rows[i].time.busy_ns;
        most_ns = ns > most_ns ? ns : most_ns;
    }
    mb_buf_put_string(out, "<section id=\"threads\"><h2>Threads</h2>\n<div class=\"scroll\">"
                           "<table><thead><tr><th>in calls</th><th>of the most</th>"
                           "<th>worked \xe2\x89\xa5</th><th>ready \xe2\x89\xa5</th>"
                           "<th>waited \xe2\x89\xa5</th><th>calls</th><th>records</th><th>lost</th>"
                           "<th class=\"method\">thread</th></tr></thead><tbody>\n");
    put_threads(threads, pools, most_ns, out);
    mb_buf_put_string(out, "</tbody></table></div>\n");
    if (threads->count > MOST_THREADS) {
        mb_buf_printf(out, "<p class=\"more\">%zu more are not listed.</p>\n",
                      threads->count - MOST_THREADS);
    }
    mb_buf_put_string(out, "</section>\n");
}
