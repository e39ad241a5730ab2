/* What the marks at names mean: of those that a report has. */

#include "formats/text.h"

#include <ctype.h>
#include <string.h>

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
