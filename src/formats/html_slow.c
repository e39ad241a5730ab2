/* Slow messages: what each kind spent its time on, then each with its stack. */

#include "formats/html.h"

#include <inttypes.h>

#define MOST_SHOWN 50
#define MOST_GROUPS 20

static void put_group(const struct answer_methods *methods, const struct answer_group *group,
                      struct mb_buf *out)
{
    mb_buf_put_string(out, "<tr>");
    format_html_time_cell(out, group->total_ns);
    format_html_count_cell(out, group->count);
    format_html_time_cell(out, group->longest_ns);
    mb_buf_put_string(out, "<td class=\"method\">");
    format_html_method(methods, out, group->key, false);
    mb_buf_put_string(out, "</td></tr>\n");
}

static void put_groups(const struct answer_messages *messages, const struct answer_methods *methods,
                       struct mb_buf *out)
{
    mb_buf_put_string(out, "<div class=\"scroll\"><table><thead><tr><th>total</th><th>count</th>"
                           "<th>longest</th><th class=\"method\">mostly in</th></tr></thead>"
                           "<tbody>\n");
    for (size_t i = 0; i < messages->group_count && i < MOST_GROUPS; i++) {
        put_group(methods, &messages->groups[i], out);
    }
    mb_buf_put_string(out, "</tbody></table></div>\n");
}

static void put_stack(const struct answer_clock *clock, const struct answer_methods *methods,
                      const struct answer_slow *slow, struct mb_buf *out)
{
    struct trace_item rows[TRACE_TRIMMED_MAX];
    size_t count = trace_fold(slow->items, slow->item_count, rows);

    format_html_stack_head(out);
    for (size_t i = 0; i < count; i++) {
        const struct trace_item *item = &rows[i];
        const struct format_html_call call = {
            .id = item->id,
            .depth = item->depth < 0 ? 0 : (uint64_t)item->depth,
            .calls = item->count,
            .ns = answer_ns(clock, item->duration),
            .whole_ns = slow->duration_ns,
            .is_open = item->is_open != 0,
            .inferred_ns = item->is_inferred ? answer_ns(clock, item->duration) : 0,
        };
        format_html_stack_row(methods, out, &call);
    }
    mb_buf_put_string(out, "</tbody></table>\n");
}

/* data-*: where the chart finds it. */
static void put_slow(const struct answer_clock *clock, const struct answer_methods *methods,
                     const struct answer_slow *slow, size_t number, struct mb_buf *out)
{
    mb_buf_printf(out, "<details class=\"message\" id=\"slow-%zu\"", number + 1);
    format_html_span(out, slow->thread->id, slow->start_ns, slow->duration_ns);
    mb_buf_put_string(out, number == 0 ? " open><summary><b>" : "><summary><b>");
    format_html_time(out, slow->duration_ns);
    mb_buf_put_string(out, "</b> <span class=\"where\">at ");
    format_html_time(out, (int64_t)(slow->start_ns & INT64_MAX));
    mb_buf_put_string(out, " in ");
    format_html_text(out, slow->thread->name);
    mb_buf_put_string(out, slow->is_open ? ", still running</span> " : "</span> ");
    format_html_method(methods, out, slow->key != TRACE_NO_KEY ? slow->key : slow->id, false);
    mb_buf_put_string(out, "</summary><div class=\"scroll\">\n");
    put_stack(clock, methods, slow, out);
    mb_buf_put_string(out, "</div></details>\n");
}

static void put_all(const struct answer_messages *messages, const struct answer_clock *clock,
                    const struct answer_methods *methods, struct mb_buf *out)
{
    if (messages->group_count < messages->slow_count) {
        put_groups(messages, methods, out);
    }
    for (size_t i = 0; i < messages->slow_count && i < MOST_SHOWN; i++) {
        put_slow(clock, methods, &messages->slow[i], i, out);
    }
    if (messages->slow_count > MOST_SHOWN) {
        mb_buf_printf(out, "<p class=\"more\">%zu more are not listed.</p>\n",
                      messages->slow_count - MOST_SHOWN);
    }
}

void format_html_slow(const struct answer_recording *recording,
                      const struct answer_messages *messages, const struct answer_clock *clock,
                      const struct answer_methods *methods, struct mb_buf *out)
{
    const char *what = recording->has_messages ? "messages" : "outermost calls";

    mb_buf_printf(out, "<section id=\"slow\"><h2>Slow %s</h2>\n<p class=\"note\">", what);
    if (!recording->has_messages) {
        mb_buf_put_string(out, "No messages were recorded: outermost calls stand in for them. ");
    }
    mb_buf_printf(out, "<data value=\"%zu\">%zu</data> of ", messages->slow_count,
                  messages->slow_count);
    format_html_count(out, messages->root_count);
    mb_buf_printf(out, " %s took ", what);
    format_html_time(out, messages->threshold_ns);
    mb_buf_put_string(out, " or more.</p>\n");
    put_all(messages, clock, methods, out);
    mb_buf_put_string(out, "</section>\n");
}
