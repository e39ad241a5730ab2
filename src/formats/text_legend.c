/* What the marks behind names mean: of those that a report has. */

#include "formats/text.h"

#include "answer/marks.h"

#include <ctype.h>
#include <string.h>

#define MOST_MARKS 6 /* words of the marks of a row */

static const struct {
    const char *label;
    const char *word; /* that a line has near its end, or what such a word begins with */
    enum answer_kind meaning;
} rows[] = {
    {"~", "~", ANSWER_KIND_MARK_MUTED},
    {"^", "^", ANSWER_KIND_MARK_HOLDS},
    {"?n%", "?", ANSWER_KIND_MARK_INFERRED},
    {"+-n%", "+-", ANSWER_KIND_MARK_SAMPLED},
    {"+", "+", ANSWER_KIND_MARK_OPEN},
    {"(waits)", "(waits)", ANSWER_KIND_MARK_WAITS},
    {"(ready)", "(ready)", ANSWER_KIND_MARK_READY},
    {"(waits?)", "(waits?)", ANSWER_KIND_MARK_NEITHER},
};

static bool is_mark(struct mb_text word, const char *mark)
{
    size_t size = strlen(mark);
    bool begins = word.size >= size && memcmp(word.data, mark, size) == 0;

    return begins && (word.size == size || isdigit((unsigned char)word.data[size]) != 0);
}

/* The sets of rows' marks that the ends of its lines have, a bit each. */
static unsigned marks_of(const struct mb_buf *text)
{
    struct mb_text rest = {(const char *)text->bytes, text->failed ? 0 : text->size};
    unsigned found = 0;

    while (rest.size > 0) {
        struct mb_text line = mb_text_split(&rest, '\n');
        for (size_t words = 0; words < MOST_MARKS && line.size > 0; words++) {
            size_t start = mb_text_after_last(line, ' ');
            for (size_t i = 0; i < MB_COUNT(rows); i++) {
                found |= is_mark(mb_text_from(line, start), rows[i].word) ? 1u << i : 0;
            }
            line.size = start > 0 ? start - 1 : 0;
        }
    }
    return found;
}

void format_put_legend(const struct format_look *look, const struct mb_buf *tables,
                       struct mb_buf *out)
{
    unsigned marks = marks_of(tables);
    struct mb_buf words = {0};

    if (marks != 0) {
        format_put_heading(look, out, "Marks");
    }
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        if (marks >> i & 1) {
            mb_buf_reset(&words);
            mb_buf_put_string(&words, answer_words(rows[i].meaning));
            format_put_item(look, out, rows[i].label, &words);
        }
    }
    mb_buf_finish_part(out, &words);
}
