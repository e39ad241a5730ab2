/* Slow requests over time, and the pauses of all threads. */

#include "answer/words.h"
#include "base/number.h"
#include "formats/html.h"
#include "formats/text.h"

#include <inttypes.h>
#include <math.h>

#define WIDTH 1000
#define HEIGHT 120
#define RADIUS 3
#define MOST_POINTS 10000u

/* What the axes show: lengths are on a log scale, the longest at the top. */
struct axes {
    int64_t end_ns;
    int64_t least_ns;
    int64_t most_ns;
    size_t points;
};

static void add_row(struct axes *axes, const struct answer_request *row)
{
    for (size_t i = 0; i < row->asked_count; i++) {
        int64_t ns = row->asked[i].length_ns;
        bool is_less = ns > 0 && (axes->least_ns == 0 || ns < axes->least_ns);
        axes->least_ns = is_less ? ns : axes->least_ns;
        axes->most_ns = mb_max_i64(ns, axes->most_ns);
    }
    axes->points += row->asked_count;
}

static double x_of(const struct axes *axes, uint64_t ns)
{
    return WIDTH * mb_min_f64((double)ns / (double)axes->end_ns, 1);
}

static void put_pause(const struct axes *axes, const struct answer_pause *pause, struct mb_buf *out)
{
    double from = x_of(axes, pause->start_ns);
    double until = x_of(axes, pause->start_ns + (uint64_t)(pause->length_ns & INT64_MAX));

    mb_buf_printf(out, "<rect x=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>",
                  from, until - from < 1 ? 1 : until - from, HEIGHT,
                  answer_state_words(pause->state, 0));
}

/* data-*: where the chart finds it. */
static void put_point(const struct axes *axes, const struct answer_asked *asked, struct mb_buf *out)
{
    double range = log((double)axes->most_ns / (double)axes->least_ns);
    double share = range > 0 ? log((double)axes->most_ns / (double)asked->length_ns) / range : 0;

    mb_buf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"", x_of(axes, asked->start_ns),
                  RADIUS + share * (HEIGHT - 2 * RADIUS), RADIUS);
    format_html_span(out, asked->thread_id, asked->start_ns, asked->length_ns);
    mb_buf_put_string(out, "/>");
}

static void put_points(const struct axes *axes, const struct answer_requests *requests,
                       struct mb_buf *out)
{
    size_t left = MOST_POINTS;

    mb_buf_printf(
        out,
        "<svg id=\"points\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"slow requests "
        "over time, and pauses of all threads\">",
        WIDTH, HEIGHT);
    for (size_t i = 0; i < requests->pause_count && i < MOST_POINTS; i++) {
        put_pause(axes, &requests->pauses[i], out);
    }
    for (size_t i = 0; i < requests->count; i++) {
        const struct answer_request *row = &requests->rows[i];
        for (size_t k = 0; k < row->asked_count && left > 0; k++) {
            if (row->asked[k].length_ns > 0) {
                put_point(axes, &row->asked[k], out);
                left--;
            }
        }
    }
    mb_buf_put_string(out, "</svg>\n");
}

void format_html_points(const struct answer_requests *requests, uint64_t end_ns, struct mb_buf *out)
{
    struct axes axes = {.end_ns = (int64_t)(end_ns & INT64_MAX)};

    for (size_t i = 0; i < requests->count; i++) {
        add_row(&axes, &requests->rows[i]);
    }
    if (axes.points == 0 || axes.least_ns == 0 || axes.end_ns == 0) {
        return;
    }
    mb_buf_put_string(out, "<p class=\"note\">The slowest of them by when they began, from ");
    format_html_time(out, axes.least_ns);
    mb_buf_put_string(out, " to ");
    format_html_time(out, axes.most_ns);
    mb_buf_put_string(out, " on a log scale; bands are pauses of all threads.</p>\n");
    put_points(&axes, requests, out);
}
