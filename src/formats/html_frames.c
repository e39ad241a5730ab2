/* How scenes were drawn, and where in the chart what monitors tell belongs. */

#include "formats/html.h"

#include "abi/issue.h"
#include "answer/events.h"

#include <inttypes.h>

#define MOST_SHOWN 500
#define BAR_WIDTH 90

static const char *const level_words[ANSWER_LEVELS] = {ABI_LEVELS(ABI_LEVEL_WORD)};

void format_html_when(const struct answer_process *process, uint64_t end_ns,
                      const struct answer_when *when, struct mb_buf *out)
{
    struct answer_place place;

    if (answer_find_place(process, when, end_ns, &place)) {
        mb_buf_printf(out, " data-start=\"%" PRIu64 "\" data-duration=\"%" PRIu64 "\"",
                      place.start_ns, place.duration_ns);
    }
}

void format_html_date(int64_t ms, struct mb_buf *out)
{
    char text[ANSWER_TIME_SIZE];

    if (ms != ANSWER_UNKNOWN) {
        answer_format_time(text, ms);
        mb_buf_printf(out, "%s UTC", text);
    }
}

/* ---- Frames ---- */

/* The levels of a row side by side; that one is there can always be seen. */
static void put_bar(const uint32_t levels[ANSWER_LEVELS], struct mb_buf *out)
{
    double sum = 0;
    double x = 0;

    for (size_t i = 0; i < ANSWER_LEVELS; i++) {
        sum += levels[i];
    }
    mb_buf_printf(out, "<td><svg class=\"bar levels\" width=\"%d\" height=\"10\" role=\"img\">",
                  BAR_WIDTH);
    mb_buf_put_string(out, "<title>");
    for (size_t i = 0; i < ANSWER_LEVELS; i++) {
        mb_buf_printf(out, "%s%" PRIu32 " %s", i > 0 ? ", " : "", levels[i], level_words[i]);
    }
    mb_buf_put_string(out, "</title>");
    for (size_t i = 0; i < ANSWER_LEVELS && sum > 0; i++) {
        double width = levels[i] == 0 ? 0 : 2 + (BAR_WIDTH - 2 * ANSWER_LEVELS) * levels[i] / sum;
        mb_buf_printf(out, "<rect class=\"l%zu\" x=\"%.1f\" width=\"%.1f\" height=\"10\"/>", i, x,
                      width);
        x += width;
    }
    mb_buf_put_string(out, "</svg></td>");
}

/* data-*: what the strip above the chart draws. */
static void put_row_head(const struct answer_process *process, uint64_t end_ns,
                         const struct answer_issue *issue, struct mb_buf *out)
{
    const struct answer_drawn *drawn = &issue->drawn;

    mb_buf_put_string(out, "<tr");
    format_html_when(process, end_ns, &issue->when, out);
    mb_buf_printf(out, " data-fps=\"%" PRId64 "\" data-rate=\"%" PRId64 "\" data-levels=\"",
                  drawn->fps, drawn->refresh);
    for (size_t i = 0; i < ANSWER_LEVELS; i++) {
        mb_buf_printf(out, "%s%" PRIu32, i > 0 ? "," : "", drawn->levels[i]);
    }
    mb_buf_put_string(out, "\">");
}

static void put_row(const struct answer_process *process, uint64_t end_ns,
                    const struct answer_issue *issue, struct mb_buf *out)
{
    const struct answer_drawn *drawn = &issue->drawn;

    put_row_head(process, end_ns, issue, out);
    mb_buf_printf(out,
                  "<td><data value=\"%" PRId64 "\">%" PRId64 ".%" PRId64 "</data></td><td>%" PRId64
                  "</td>",
                  drawn->fps, drawn->fps / 100, drawn->fps % 100 / 10, (drawn->refresh + 50) / 100);
    format_html_count_cell(out, drawn->frames);
    put_bar(drawn->levels, out);
    format_html_time_cell(out, drawn->late_ns);
    format_html_time_cell(out, drawn->longest_ns);
    format_html_time_cell(out, drawn->hitch_us * 1000);
    mb_buf_put_string(out, "<td>");
    format_html_date(issue->when.until_ms, out);
    mb_buf_put_string(out, "</td><td class=\"method\"><span class=\"name\">");
    format_html_text(out, issue->scene.size > 0 ? issue->scene : MB_TEXT("(no scene)"));
    mb_buf_put_string(out, "</span></td></tr>\n");
}

static void put_note(struct mb_buf *out)
{
    mb_buf_put_string(out, "<p class=\"note\">Each row sums up the frames of a scene for some "
                           "seconds of drawing. Scenes without hitches are reported only with "
                           "fps_hitch_ms=0. Frames are classed by time lost: ");
    for (size_t i = 0; i < ANSWER_LEVELS; i++) {
        mb_buf_printf(out,
                      "%s<svg class=\"levels\" width=\"10\" height=\"10\" aria-hidden=\"true\">"
                      "<rect class=\"l%zu\" width=\"10\" height=\"10\"/></svg> %s",
                      i == 0                   ? ""
                      : i == ANSWER_LEVELS - 1 ? " or "
                                               : ", ",
                      i, level_words[i]);
    }
    mb_buf_put_string(out, ".</p>\n");
}

void format_html_frames(const struct answer_monitors *monitors,
                        const struct answer_process *process, uint64_t end_ns, struct mb_buf *out)
{
    mb_buf_put_string(out, "<section id=\"frames\"><h2>Frames</h2>\n");
    put_note(out);
    mb_buf_put_string(out, "<div class=\"scroll\"><table><thead><tr><th>a second</th>"
                           "<th>of</th><th>frames</th><th>levels</th><th>late</th>"
                           "<th>longest</th><th>lost a second</th><th>until</th>"
                           "<th class=\"method\">scene</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < monitors->drawn_count && i < MOST_SHOWN; i++) {
        put_row(process, end_ns, monitors->drawn[i], out);
    }
    mb_buf_put_string(out, "</tbody></table></div>\n");
    if (monitors->drawn_count > MOST_SHOWN) {
        mb_buf_printf(out, "<p class=\"more\">%zu more are not listed.</p>\n",
                      monitors->drawn_count - MOST_SHOWN);
    }
    mb_buf_put_string(out, "</section>\n");
}
