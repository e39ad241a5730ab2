#include "sample.h"

#include "formats/html.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct text_case {
    const char *what;
    struct mb_text text;
    const char *expected;
};

static const struct text_case cases[] = {
    {"plain", MB_TEXT_ROW("a.B.c"), "a.B.c"},
    {"markup", MB_TEXT_ROW("</script><b a='\"'>&amp;"),
     "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;amp;"},
    {"control characters", MB_TEXT_ROW("a\x1b[0m\n"), "a\\x1b[0m\\x0a"},
    {"broken UTF-8", MB_TEXT_ROW("\xc3<"), "\\xc3&lt;"},
    {"a character of three bytes", MB_TEXT_ROW("\xe2\x82\xac"), "\xe2\x82\xac"},
    {"nothing", MB_TEXT_ROW(""), ""},
};

Test(html_text, is_text)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        struct mb_buf out = {0};

        format_html_text(&out, cases[i].text);
        mb_buf_put_u1(&out, 0);
        cr_expect_str_eq((char *)out.bytes, cases[i].expected, "%s", cases[i].what);
        mb_buf_finish(&out);
    }
}

Test(html_text, a_number_and_its_unit_stay_together)
{
    static const struct text_case sentences[] = {
        {"units", MB_TEXT_ROW("7 ms, 80 % (12.3 us) of 1.2 M"),
         "7\xc2\xa0ms, 80\xc2\xa0% (12.3\xc2\xa0\xc2\xb5s) of 1.2\xc2\xa0M"},
        {"next to each other", MB_TEXT_ROW("1 s 2 s"), "1\xc2\xa0s 2\xc2\xa0s"},
        {"no units", MB_TEXT_ROW("3 messages 4 means 5 msx 6 "), "3 messages 4 means 5 msx 6 "},
        {"no number", MB_TEXT_ROW("s % ms"), "s % ms"},
        {"markup", MB_TEXT_ROW("<9 s>"), "&lt;9\xc2\xa0s&gt;"},
        {"nothing", MB_TEXT_ROW(""), ""},
    };

    for (size_t i = 0; i < MB_COUNT(sentences); i++) {
        struct mb_buf out = {0};
        struct mb_buf words = {0};

        mb_buf_put(&words, sentences[i].text.data, sentences[i].text.size);
        format_html_words(&out, &words);
        mb_buf_put_u1(&out, 0);
        cr_expect_str_eq((char *)out.bytes, sentences[i].expected, "%s", sentences[i].what);
        mb_buf_finish(&words);
        mb_buf_finish(&out);
    }
}

Test(html_text, times_have_their_exact_value)
{
    struct mb_buf out = {0};

    format_html_time(&out, 12345);
    format_html_time(&out, -7);
    format_html_count(&out, 1234567);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, "<data value=\"12345\">12.3 \xc2\xb5s</data>"
                                        "<data value=\"-7\">-7 ns</data>"
                                        "<data value=\"1234567\">1.23 M</data>");
    mb_buf_finish(&out);
}
