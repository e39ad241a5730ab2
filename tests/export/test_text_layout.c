#include "export/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct mb_text long_name(const void *context, uint32_t id)
{
    (void)context;
    return id == 1   ? MB_TEXT("com.example.app.Main.run(String,int)")
           : id == 2 ? MB_TEXT("caf\xc3\xa9.\xc3\xa9t\xc3\xa9.Main.run")
           : id == 3 ? MB_TEXT("Main.run")
           : id == 4 ? MB_TEXT("a\x1b.b.Main.aMethodWithAVeryLongName")
                     : (struct mb_text){0};
}

static const struct export_report report = {.names = {long_name, NULL}, .columns = 100};

static void expect_text(struct mb_buf *out, const char *expected)
{
    mb_buf_put_u1(out, 0);
    cr_expect_str_eq((const char *)out->bytes, expected);
    mb_buf_finish(out);
}

Test(layout, times_have_three_digits)
{
    static const struct {
        int64_t ns;
        const char *text;
    } times[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {12345, "12.3 us"},
        {999999, "999 us"},
        {1000000, "1.00 ms"},
        {59999999, "59.9 ms"},
        {700000000, "700 ms"},
        {5830000000, "5.83 s"},
        {-1500000, "-1.50 ms"},
        {1234000000000, "1234 s"},
        {INT64_MAX, "9223372036 s"},
        {INT64_MIN, "-9223372036 s"},
    };

    for (size_t i = 0; i < MB_COUNT(times); i++) {
        struct mb_buf out = {0};
        export_put_time(&out, times[i].ns, 0);
        expect_text(&out, times[i].text);
    }
    struct mb_buf out = {0};
    export_put_time(&out, 1000, 10);
    expect_text(&out, "   1.00 us");
}

Test(layout, counts_have_three_digits_from_100000_on)
{
    static const struct {
        uint64_t count;
        const char *text;
    } counts[] = {{0, "0"},
                  {99999, "99999"},
                  {100000, "100 k"},
                  {999999, "999 k"},
                  {4070000, "4.07 M"},
                  {785000000, "785 M"},
                  {1570000000, "1.57 G"},
                  {UINT64_MAX, "18446744073 G"}};

    for (size_t i = 0; i < MB_COUNT(counts); i++) {
        struct mb_buf out = {0};
        export_put_count(&out, counts[i].count, 0);
        expect_text(&out, counts[i].text);
    }
}

Test(layout, shares_of_nothing_are_nothing)
{
    struct mb_buf out = {0};

    export_put_percent(&out, 1, 3, 6);
    export_put_percent(&out, 5, 0, 6);
    export_put_whole_percent(&out, 2, 3);
    expect_text(&out, "  33.3   0.067");
}

/* In 100 columns behind what was used. */
static void expect_name(uint32_t id, size_t used, const char *expected)
{
    struct mb_buf out = {0};

    export_put_method(&report, &out, id, used);
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

Test(layout, names_are_whole_in_endless_lines)
{
    struct export_report wide = report;
    struct mb_buf out = {0};

    wide.columns = 0;
    export_put_method(&wide, &out, 1, 500);
    export_put_method(&wide, &out, 4, 500);
    expect_text(&out, "com.example.app.Main.run(String,int)a\\x1b.b.Main.aMethodWithAVeryLongName");
}

Test(layout, paragraphs_are_wrapped_at_words)
{
    struct export_report narrow = report;
    struct mb_buf text = {0};
    struct mb_buf out = {0};

    narrow.columns = 24;
    mb_buf_put_string(&text, "one two three fourteen-hundred a b c d e");
    export_put_item(&narrow, &out, "label", &text);
    export_put_paragraph(&narrow, &out, &text);
    expect_text(&out, "  label      one two\n             three\n             fourteen-hundred\n"
                      "             a b c d e\none two three\nfourteen-hundred a b c d\ne\n");
    mb_buf_finish(&text);
}
