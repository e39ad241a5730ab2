#include "formats/text.h"
#include "long_names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct answer_names names = {long_name, NULL};

/* In 100 columns behind what was used. */
static void expect_name(uint32_t id, size_t used, const char *expected)
{
    struct mb_buf out = {0};

    const struct format_look look = {.columns = 100};
    format_put_method(&look, &names, &out, id, used);
    expect_text(&out, expected);
}

Test(layout, names_lose_packages_then_parameters_then_their_beginning)
{
    expect_name(1, 64, "com.example.app.Main.run(String,int)");
    expect_name(1, 65, "c.example.app.Main.run(String,int)");
    expect_name(1, 67, "c.e.app.Main.run(String,int)");
    expect_name(1, 73, "c.e.a.Main.run(String,int)");
    expect_name(1, 75, "c.e.a.Main.run(..)");
    expect_name(2, 80, "caf\xc3\xa9.\xc3\xa9t\xc3\xa9.Main.run");
    expect_name(3, 200, "Main.run");
    expect_name(4, 200, "..dWithAVeryLongName");
    expect_name(5, 0, "#5");
}

Test(layout, paragraphs_are_wrapped_at_words)
{
    const struct format_look narrow = {.columns = 24};
    struct mb_buf text = {0};
    struct mb_buf out = {0};

    mb_buf_put_string(&text, "one two three fourteen-hundred a b c d e");
    format_put_item(&narrow, &out, "label", &text);
    format_put_paragraph(&narrow, &out, &text);
    expect_text(&out, "  label      one two\n             three\n             fourteen-hundred\n"
                      "             a b c d e\none two three\nfourteen-hundred a b c d\ne\n");
    mb_buf_finish(&text);
}
