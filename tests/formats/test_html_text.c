#include "sample.h"

#include "formats/html.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

Test(html_text, a_number_and_its_unit_stay_together)
{
    static const struct {
        struct mb_text piece;
        enum answer_unit unit;
        const char *expected;
    } pieces[] = {
        {MB_TEXT_ROW("7.00 ms"), ANSWER_UNIT_NS, "7.00\xc2\xa0ms"},
        {MB_TEXT_ROW("12.3 us"), ANSWER_UNIT_NS, "12.3\xc2\xa0\xc2\xb5s"},
        {MB_TEXT_ROW("1.2 M"), ANSWER_UNIT_COUNT, "1.2\xc2\xa0M"},
        {MB_TEXT_ROW("99"), ANSWER_UNIT_COUNT, "99"},
        {MB_TEXT_ROW("80 %"), ANSWER_UNIT_WHOLE_PERCENT, "80\xc2\xa0%"},
        {MB_TEXT_ROW("<7 us>"), ANSWER_UNIT_TEXT, "&lt;7 us&gt;"},
    };

    for (size_t i = 0; i < MB_COUNT(pieces); i++) {
        const struct answer_value value = {.name = "", .unit = pieces[i].unit};
        struct mb_buf out = {0};

        format_html_piece(&out, pieces[i].piece, &value);
        format_html_piece(&out, MB_TEXT(" 9 us & "), NULL);
        mb_buf_put_u1(&out, 0);
        cr_expect(
            eq(int, strncmp((char *)out.bytes, pieces[i].expected, strlen(pieces[i].expected)), 0),
            "%s", out.bytes);
        cr_expect_str_eq((char *)out.bytes + strlen(pieces[i].expected), " 9 us &amp; ");
        mb_buf_finish(&out);
    }
}
