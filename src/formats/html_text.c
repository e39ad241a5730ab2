#include "formats/html.h"

#include "answer/marks.h"

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
    out->failed = out->failed || shown.failed;
    put_escaped(out, (struct mb_text){(const char *)shown.bytes, shown.size});
    mb_buf_finish(&shown);
}

/* ---- Sentences ---- */

/* How the text writes what a number is of, and how the page does. */
struct unit {
    const char *written;
    const char *shown;
};
static const struct unit units[] = {{"%", "%"},   {"s", "s"}, {"ms", "ms"}, {"us", "\xc2\xb5s"},
                                    {"ns", "ns"}, {"k", "k"}, {"M", "M"},   {"G", "G"}};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The unit at the beginning of the text; NULL: none is there. */
static const struct unit *find_unit(struct mb_text text)
{
    size_t size = 0;

    while (size < text.size && (is_letter(text.data[size]) || text.data[size] == '%')) {
        size++;
    }
    for (size_t i = 0; i < MB_COUNT(units); i++) {
        if (mb_text_is((struct mb_text){text.data, size}, units[i].written)) {
            return &units[i];
        }
    }
    return NULL;
}

static bool ends_number(const char *space)
{
    return *space == ' ' && space[-1] >= '0' && space[-1] <= '9';
}

void format_html_words(struct mb_buf *out, const struct mb_buf *words)
{
    struct mb_text rest = {(const char *)words->bytes, words->size};

    out->failed = out->failed || words->failed;
    for (size_t i = 1; i + 1 < rest.size; i++) {
        const struct mb_text behind = {rest.data + i + 1, rest.size - i - 1};
        const struct unit *unit = ends_number(rest.data + i) ? find_unit(behind) : NULL;
        if (unit != NULL) {
            size_t size = strlen(unit->written);
            put_escaped(out, (struct mb_text){rest.data, i});
            mb_buf_put_string(out, "\xc2\xa0"); /* no line ends here */
            mb_buf_put_string(out, unit->shown);
            rest = mb_text_from(behind, size);
            i = 0;
        }
    }
    put_escaped(out, rest);
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
    out->failed = out->failed || name.failed;
    mb_buf_finish(&name);
}

/* ---- Numbers ---- */

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
    format_html_count_cell(out, call->calls);
    mb_buf_printf(out, "<td class=\"method d%" PRIu64 "\">",
                  call->depth < FORMAT_HTML_DEEPEST ? call->depth : FORMAT_HTML_DEEPEST);
    format_html_method(methods, out, call->id, call->is_open);
    answer_put_inferred(out, call->inferred_ns, call->ns);
    answer_put_sampled(methods, out, call->sampled, call->sampled);
    mb_buf_put_string(out, "</td></tr>\n");
}
