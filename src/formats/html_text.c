#include "formats/html.h"

#include "answer/marks.h"
#include "answer/waits.h"

#include <inttypes.h>
#include <string.h>

#define BAR_WIDTH 60

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    }
    return NULL;
}

static void put_escaped(struct mb_buf *out, struct mb_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char *replacement = entity_of(text.data[i]);
        if (replacement != NULL) {
            mb_buf_put_string(out, replacement);
        } else {
            mb_buf_put_u1(out, (unsigned char)text.data[i]);
        }
    }
}

void format_html_text(struct mb_buf *out, struct mb_text text)
{
    struct mb_buf shown = {0};

    mb_buf_put_printable(&shown, text);
    put_escaped(out, (struct mb_text){(const char *)shown.bytes, shown.size});
    mb_buf_finish_part(out, &shown);
}

/* ---- Sentences ---- */

/* A figure: no line ends between the number and its unit, and micro has its sign. */
static void put_figure(struct mb_buf *out, struct mb_text text)
{
    size_t space = mb_text_after_last(text, ' ');
    struct mb_text unit = mb_text_from(text, space);
    bool is_micro = mb_text_is(unit, "us");

    mb_buf_put(out, text.data, space > 0 ? space - 1 : 0);
    mb_buf_put_string(out, space > 0 ? "\xc2\xa0" : "");
    mb_buf_put_string(out, is_micro ? "\xc2\xb5s" : "");
    mb_buf_put(out, unit.data, is_micro ? 0 : unit.size);
}

void format_html_piece(struct mb_buf *out, struct mb_text piece, const struct answer_value *value)
{
    if (value != NULL && value->unit < ANSWER_UNIT_TEXT) {
        put_figure(out, piece);
    } else {
        put_escaped(out, piece);
    }
}

void format_html_lock(struct mb_buf *out, struct mb_text lock)
{
    struct mb_buf name = {0};

    answer_put_lock(&name, lock);
    put_escaped(out, (struct mb_text){(const char *)name.bytes, name.failed ? 0 : name.size});
    mb_buf_finish_part(out, &name);
}

/* ---- Methods ---- */

void format_html_method(const struct answer_methods *methods, struct mb_buf *out, uint32_t id,
                        bool is_open)
{
    struct mb_buf name = {0};

    answer_put_name(&name, &methods->names, id);
    struct mb_text text = {(const char *)name.bytes, name.failed ? 0 : name.size};
    size_t package = answer_package_size(text);
    mb_buf_put_string(out, "<span class=\"name\">");
    if (package > 0) {
        mb_buf_put_string(out, "<i>");
        put_escaped(out, (struct mb_text){text.data, package});
        mb_buf_put_string(out, "</i>");
    }
    put_escaped(out, (struct mb_text){text.data + package, text.size - package});
    answer_put_marks(methods, out, id, is_open);
    mb_buf_put_string(out, "</span>");
    mb_buf_finish_part(out, &name);
}

/* ---- Numbers ---- */

void format_html_span(struct mb_buf *out, uint32_t thread_id, uint64_t start_ns, int64_t length_ns)
{
    mb_buf_printf(out,
                  " data-thread=\"%" PRIu32 "\" data-start=\"%" PRIu64 "\" data-duration=\"%" PRId64
                  "\"",
                  thread_id, start_ns, length_ns);
}

/* As answer_put_time, but with the sign for micro. */
void format_html_time(struct mb_buf *out, int64_t ns)
{
    mb_buf_printf(out, "<data value=\"%" PRId64 "\">", ns);
    answer_put_time(out, ns, 0);
    if (!out->failed && memcmp(out->bytes + out->size - 2, "us", 2) == 0) {
        out->size -= 2;
        mb_buf_put_string(out, "\xc2\xb5s");
    }
    mb_buf_put_string(out, "</data>");
}

void format_html_count(struct mb_buf *out, uint64_t count)
{
    mb_buf_printf(out, "<data value=\"%" PRIu64 "\">", count);
    answer_put_count(out, count, 0);
    mb_buf_put_string(out, "</data>");
}

void format_html_time_cell(struct mb_buf *out, int64_t ns)
{
    mb_buf_put_string(out, "<td>");
    format_html_time(out, ns);
    mb_buf_put_string(out, "</td>");
}

void format_html_count_cell(struct mb_buf *out, uint64_t count)
{
    mb_buf_put_string(out, "<td>");
    format_html_count(out, count);
    mb_buf_put_string(out, "</td>");
}

void format_html_share_cell(struct mb_buf *out, int64_t part, int64_t whole)
{
    double share = whole > 0 ? (double)part / (double)whole : 0;

    share = share < 0 ? 0 : share > 1 ? 1 : share;
    mb_buf_printf(out,
                  "<td class=\"share\"><svg class=\"bar\" width=\"%d\" height=\"8\" "
                  "aria-hidden=\"true\"><rect width=\"%.1f\" height=\"8\"/></svg> %.1f %%</td>",
                  BAR_WIDTH, share * BAR_WIDTH, share * 100);
}

/* ---- Stacks ---- */

void format_html_stack_head(struct mb_buf *out)
{
    mb_buf_put_string(out, "<table class=\"stack\"><thead><tr><th>time</th><th>share</th>"
                           "<th>calls</th><th class=\"method\">method</th></tr></thead><tbody>\n");
}

void format_html_stack_row(const struct answer_methods *methods, struct mb_buf *out,
                           const struct format_html_call *call)
{
    mb_buf_put_string(out, "<tr>");
    format_html_time_cell(out, call->ns);
    format_html_share_cell(out, call->ns, call->whole_ns);
    if (call->calls == 0 && call->sampled > 0) {
        mb_buf_put_string(out, FORMAT_HTML_UNKNOWN);
    } else {
        format_html_count_cell(out, call->calls);
    }
    mb_buf_printf(out, "<td class=\"method d%" PRIu64 "\">",
                  call->depth < FORMAT_HTML_DEEPEST ? call->depth : FORMAT_HTML_DEEPEST);
    format_html_method(methods, out, call->id, call->is_open);
    answer_put_inferred(out, call->inferred_ns, call->ns);
    answer_put_sampled(methods, out, call->sampled, call->sampled);
    mb_buf_put_string(out, "</td></tr>\n");
}
