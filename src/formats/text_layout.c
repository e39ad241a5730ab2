#include "formats/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"
#define LABEL_WIDTH 13
#define LEAST_NAME 20

void format_put_heading(const struct format_look *look, struct mb_buf *out, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    mb_buf_printf(out, "\n%s", look->colour ? BOLD : "");
    mb_buf_put_printable(out, mb_text_of(text));
    mb_buf_printf(out, "%s\n", look->colour ? PLAIN : "");
}

size_t format_room(const struct format_look *look, size_t used)
{
    if (look->columns == 0 || (look->details & FORMAT_NAMES)) {
        return 0;
    }
    return look->columns > used + LEAST_NAME ? look->columns - used : LEAST_NAME;
}

void format_put_method(const struct format_look *look, const struct answer_names *names,
                       struct mb_buf *out, uint32_t id, size_t used)
{
    answer_put_method(out, names, id, format_room(look, used));
}

/* ---- Paragraphs ---- */

void format_put_time(struct mb_buf *out, int64_t ns)
{
    answer_put_time(out, ns, 8);
    mb_buf_put_u1(out, ' ');
}

/* Words from column first on; lines that follow are indented as far. */
static void put_wrapped(const struct format_look *look, struct mb_buf *out, size_t first,
                        const struct mb_buf *text)
{
    struct mb_text rest = {(const char *)text->bytes, text->failed ? 0 : text->size};
    size_t column = first;

    mb_buf_fail_with(out, text);
    while (rest.size > 0) {
        struct mb_text word = mb_text_split(&rest, ' ');
        size_t width = answer_columns(word);
        bool is_first = column == first;
        if (!is_first && look->columns > 0 && column + 1 + width > look->columns) {
            mb_buf_printf(out, "\n%*s", (int)first, "");
            column = first;
            is_first = true;
        }
        mb_buf_put_string(out, is_first ? "" : " ");
        mb_buf_put(out, word.data, word.size);
        column += width + !is_first;
    }
    mb_buf_put_u1(out, '\n');
}

void format_put_item(const struct format_look *look, struct mb_buf *out, const char *label,
                     const struct mb_buf *text)
{
    mb_buf_printf(out, "  %-*s", LABEL_WIDTH - 2, label);
    put_wrapped(look, out, LABEL_WIDTH, text);
}

void format_put_paragraph(const struct format_look *look, struct mb_buf *out,
                          const struct mb_buf *text)
{
    put_wrapped(look, out, 0, text);
}

void format_put_findings(const struct format_look *look, struct mb_buf *out,
                         const struct answer_findings *findings, const struct answer_voice *voice)
{
    const struct answer_finding *finding = NULL;
    struct mb_buf text = {0};

    mb_buf_fail_with(out, &findings->rows.buf);
    while ((finding = answer_next_finding(findings, finding)) != NULL) {
        mb_buf_reset(&text);
        answer_put_sentence(&text, finding, voice);
        format_put_item(look, out, answer_topic(finding->kind), &text);
    }
    mb_buf_finish(&text);
}

/* ---- What the marks at names mean ---- */

static const enum answer_kind marks[] = {ANSWER_MARK_KINDS};

/* As a word of its own, or with a number. */
static bool has_mark(const char *text, const char *mark)
{
    const char *at = text;

    while ((at = strstr(at, mark)) != NULL) {
        bool begins = at > text && at[-1] == ' ';
        at += strlen(mark);
        if (begins && (isspace((unsigned char)*at) || isdigit((unsigned char)*at))) {
            return true;
        }
    }
    return false;
}

void format_put_legend(const struct format_look *look, const char *tables, struct mb_buf *out)
{
    struct mb_buf words = {0};
    bool is_first = true;

    for (size_t i = 0; i < MB_COUNT(marks); i++) {
        if (has_mark(tables, answer_topic(marks[i]))) {
            if (is_first) {
                format_put_heading(look, out, "Marks");
                is_first = false;
            }
            mb_buf_reset(&words);
            mb_buf_put_string(&words, answer_words(marks[i]));
            format_put_item(look, out, answer_topic(marks[i]), &words);
        }
    }
    mb_buf_finish_part(out, &words);
}
