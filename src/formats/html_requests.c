/* How long requests took, by kind, and why the slow ones did. */

#include "answer/requests.h"
#include "answer/words.h"
#include "formats/html.h"
#include "formats/text.h"

#include <inttypes.h>
#include <math.h>

#define MOST_KINDS 20
#define BAR_WIDTH 3
#define HEIGHT 18

/* A bar for each tenth to twentieth of a length, on a log scale: few are seen beside many, since
 * heights are roots. */
static void put_spread(const struct answer_spread *spread, struct mb_buf *out)
{
    uint64_t most = 1;

    for (size_t i = 0; i < ANSWER_BARS; i++) {
        most = spread->bars[i] > most ? spread->bars[i] : most;
    }
    mb_buf_printf(out,
                  "<td class=\"share\"><svg class=\"bar\" width=\"%d\" height=\"%d\" "
                  "aria-hidden=\"true\">",
                  ANSWER_BARS * BAR_WIDTH, HEIGHT);
    for (size_t i = 0; i < ANSWER_BARS; i++) {
        double height = HEIGHT * sqrt((double)spread->bars[i] / (double)most);
        if (spread->bars[i] > 0) {
            height = height < 1 ? 1 : height;
            mb_buf_printf(out, "<rect x=\"%zu\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>",
                          i * BAR_WIDTH, HEIGHT - height, BAR_WIDTH, height);
        }
    }
    mb_buf_put_string(out, "</svg>");
    if (spread->least_ns > 0) {
        mb_buf_put_string(out, " from ");
        format_html_time(out, spread->least_ns);
    }
    mb_buf_put_string(out, "</td>");
}

static const struct answer_asked *find_longest(const struct answer_request *row,
                                               const struct answer_excess *excess)
{
    const struct answer_asked *longest = NULL;

    for (size_t i = 0; i < row->asked_count; i++) {
        const struct answer_asked *asked = &row->asked[i];
        bool is_of_it = asked->state == excess->state && asked->id == excess->id;
        bool is_longer = longest == NULL || asked->length_ns > longest->length_ns;
        longest = is_of_it && is_longer ? asked : longest;
    }
    return longest;
}

/* data-*: where the chart finds the longest request of that cause. */
static void put_cause(const struct answer_request *row, const struct answer_excess *excess,
                      const struct answer_methods *methods, struct mb_buf *out)
{
    const struct answer_asked *longest = find_longest(row, excess);
    const struct answer_block *block = excess->block;

    mb_buf_put_string(out, "<div class=\"cause d1\"");
    if (longest != NULL) {
        format_html_span(out, longest->thread_id, longest->start_ns, longest->length_ns);
    }
    mb_buf_put_u1(out, '>');
    format_html_count(out, excess->count);
    mb_buf_put_string(out, " \xc3\x97 +");
    format_html_time(out, excess->more_ns / (int64_t)excess->count);
    mb_buf_printf(out, " %s", answer_state_words(excess->state, excess->id));
    if (excess->id != 0) {
        format_html_method(methods, out, excess->id, false);
    }
    if (excess->below != 0) {
        mb_buf_put_string(out, " below ");
        format_html_method(methods, out, excess->below, false);
    }
    format_put_ready(excess, out);
    if (block != NULL) {
        mb_buf_put_string(out, ", for ");
        format_html_lock(out, block->lock);
        format_html_owner(methods, out, block);
    }
    mb_buf_put_string(out, excess->are_owners ? " or its pool" : "");
    format_put_owners(excess, out);
    mb_buf_put_string(out, "</div>");
}

static void put_slow(const struct answer_request *row, const struct answer_methods *methods,
                     struct mb_buf *out)
{
    if (!answer_has_slow(row)) {
        return;
    }
    mb_buf_put_string(out, "<div>the ");
    format_html_count(out, row->slow_count);
    mb_buf_put_string(out, " slowest ");
    if (row->known_calls < row->calls) {
        mb_buf_put_string(out, "of the last ");
        format_html_count(out, row->known_calls);
        mb_buf_put_u1(out, ' ');
    }
    mb_buf_put_string(out, "took ");
    format_html_time(out, row->slower_ns);
    mb_buf_put_string(out, " more than the others:</div>");
    for (size_t i = 0; i < row->excess_count; i++) {
        put_cause(row, &row->excesses[i], methods, out);
    }
}

static void put_length(const struct answer_quantile *quantile, struct mb_buf *out)
{
    if (quantile->ns == 0) {
        mb_buf_put_string(out, FORMAT_HTML_UNKNOWN); /* below what a coarse clock can tell */
    } else {
        format_html_time_cell(out, quantile->ns);
    }
}

void format_html_requests(const struct answer_requests *requests, const struct answer_clock *clock,
                          const struct answer_methods *methods, struct mb_buf *out)
{
    mb_buf_put_string(out, "<section id=\"requests\"><h2>Requests</h2>\n"
                           "<div class=\"scroll\"><table><thead><tr><th>count</th><th>p50</th>"
                           "<th>p90</th><th>p99</th><th>longest</th><th>how often, by length</th>"
                           "<th class=\"method\">kind</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < requests->count && i < MOST_KINDS; i++) {
        const struct answer_request *row = &requests->rows[i];
        const struct answer_spread spread = answer_spread_of(methods, clock, row);
        mb_buf_put_string(out, "<tr>");
        format_html_count_cell(out, row->calls);
        put_length(&row->lengths.p50, out);
        put_length(&row->lengths.p90, out);
        put_length(&row->lengths.p99, out);
        format_html_time_cell(out, row->longest_ns);
        put_spread(&spread, out);
        mb_buf_put_string(out, "<td class=\"method\">");
        format_html_method(methods, out, row->id, false);
        put_slow(row, methods, out);
        mb_buf_put_string(out, "</td></tr>\n");
    }
    mb_buf_put_string(out, "</tbody></table></div>\n");
    if (requests->count > MOST_KINDS) {
        mb_buf_printf(out, "<p class=\"more\">%zu more are not listed.</p>\n",
                      requests->count - MOST_KINDS);
    }
    if (requests->short_count > 0) {
        mb_buf_printf(out, "<p class=\"more\">%zu %s of little time.</p>\n", requests->short_count,
                      requests->short_count == 1 ? "kind" : "kinds");
    }
}
