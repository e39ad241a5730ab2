/* What the monitors found: one cause after the other, that which cost most first. */

#include "formats/html.h"

#include <inttypes.h>

/* A line each, innermost first. */
static void put_frames(struct mb_text frames, struct mb_buf *out)
{
    if (frames.size == 0) {
        return;
    }
    mb_buf_put_string(out, "<table class=\"stack\"><tbody>\n");
    while (frames.size > 0) {
        struct mb_text line = mb_text_split(&frames, '\n');
        if (line.size > 0) {
            mb_buf_put_string(out, "<tr><td class=\"method\"><span class=\"name\">");
            format_html_text(out, line);
            mb_buf_put_string(out, "</span></td></tr>\n");
        }
    }
    mb_buf_put_string(out, "</tbody></table>\n");
}

static void put_where(const char *word, struct mb_text text, struct mb_buf *out)
{
    if (text.size > 0) {
        mb_buf_put_string(out, word);
        format_html_text(out, text);
    }
}

static void put_summary(const struct answer_cause *cause, struct mb_buf *out)
{
    mb_buf_put_string(out, "<summary><b>");
    if (cause->worst->cost_ns != ANSWER_UNKNOWN) {
        format_html_time(out, cause->worst->cost_ns);
    } else {
        mb_buf_put_string(out, "\xe2\x80\x93");
    }
    mb_buf_put_string(out, "</b> <span class=\"where\">");
    format_html_text(out, cause->worst->detail);
    if (cause->count > 1) {
        mb_buf_put_string(out, ", ");
        format_html_count(out, cause->count);
        mb_buf_put_string(out, " times");
    }
    if (cause->count > 1 && cause->total_ns > 0) {
        mb_buf_put_string(out, ", ");
        format_html_time(out, cause->total_ns);
        mb_buf_put_string(out, " in all");
    }
    mb_buf_put_string(out, "</span> <span class=\"name\">");
    format_html_text(out, cause->label.size > 0 ? cause->label : MB_TEXT("(not told)"));
    mb_buf_put_string(out, "</span></summary>");
}

/* What the issue says besides, a line each. */
static void put_facts(const struct answer_issue *issue, struct mb_buf *out)
{
    const struct {
        const char *name;
        struct mb_text text;
    } facts[] = {{"figures", issue->figures.size > 0 ? issue->figures : issue->often},
                 {"told", issue->told},
                 {"loop", issue->loop},
                 {"message", issue->message}};

    mb_buf_put_string(out, "<dl>");
    for (size_t i = 0; i < MB_COUNT(facts); i++) {
        if (facts[i].text.size > 0) {
            mb_buf_printf(out, "<div><dt>%s</dt><dd>", facts[i].name);
            format_html_text(out, facts[i].text);
            mb_buf_put_string(out, "</dd></div>");
        }
    }
    mb_buf_put_string(out, "</dl>\n");
}

static void put_issue(const struct answer_process *process, uint64_t end_ns,
                      const struct answer_cause *cause, size_t number, struct mb_buf *out)
{
    const struct answer_issue *issue = cause->worst;

    mb_buf_printf(out, "<details class=\"message\" id=\"issue-%zu\"", number + 1);
    format_html_when(process, end_ns, &issue->when, out);
    mb_buf_put_string(out, number == 0 ? " open>" : ">");
    put_summary(cause, out);
    mb_buf_put_string(out, "<div class=\"scroll\"><p class=\"note\">");
    mb_buf_put_string(out, issue->when.until_ms != ANSWER_UNKNOWN ? "the longest until " : "");
    format_html_date(issue->when.until_ms, out);
    put_where(" in ", issue->process, out);
    put_where(", scene ", issue->scene, out);
    mb_buf_put_string(out, "</p>\n");
    put_facts(issue, out);
    put_frames(issue->frames, out);
    mb_buf_put_string(out, "</div></details>\n");
}

void format_html_issues(const struct answer_monitors *monitors,
                        const struct answer_process *process, uint64_t end_ns, struct mb_buf *out)
{
    mb_buf_put_string(out, "<section id=\"issues\"><h2>Issues of the monitors</h2>\n"
                           "<p class=\"note\">By cause, that which cost most first; stacks "
                           "innermost first.</p>\n");
    for (size_t i = 0; i < monitors->cause_count; i++) {
        put_issue(process, end_ns, &monitors->causes[i], i, out);
    }
    mb_buf_put_string(out, monitors->cause_count == 0 ? "<p class=\"note\">None was written.</p>\n"
                                                      : "");
    mb_buf_put_string(out, "</section>\n");
}
