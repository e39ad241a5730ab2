#include "sample.h"

#include "export/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct mb_text old_names(const void *context, uint32_t id)
{
    (void)context;
    return id == 8 ? MB_TEXT("d.E") : id == 9 ? MB_TEXT("was.Here") : (struct mb_text){0};
}

static void expect_diff(const struct export_report *old, const struct export_report *new,
                        const char *expected)
{
    struct export_report report = *new;
    struct mb_buf out = {0};

    report.old = old;
    export_put_diff(&report, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
}

/* d.E has another id, #3 has no name in either trace, a.B was not there. */
Test(diff, methods_are_the_same_by_name)
{
    static const struct trace_method methods[] = {
        {.id = 3, .calls = 50, .total = 20, .self = 5},
        {.id = 8, .calls = 9, .total = 90, .self = 90},
        {.id = 9, .calls = 1, .total = 40, .self = 40},
    };
    struct export_report old = sample_report;
    struct export_report report = sample_report;

    old.methods = methods;
    old.names.find = old_names;
    report.columns = 80;
    report.top = 20;
    expect_diff(&old, &report,
                "\nChanges of own time since the old trace\n"
                "       own      was       is  calls    are\n"
                "  - 140 ms   180 ms  40.0 ms      9      9  faster d.E\n"
                "  -80.0 ms  80.0 ms     0 ns      1      -  gone   was.Here\n"
                "  +2.00 ms     0 ns  2.00 ms      -      9  new    a.B;\"c\"\n"
                "  (1 more changed less, or not)\n");
}

Test(diff, nothing_is_compared_with_nothing)
{
    struct export_report none = sample_report;

    none.method_count = 0;
    expect_diff(&none, &none,
                "\nChanges of own time since the old trace\n"
                "       own      was       is  calls    are\n");
}

static struct mb_text letters(const void *context, uint32_t id)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    (void)context;
    return (struct mb_text){text + id - 1, 1};
}

/* Sorting is not stable everywhere, nor where memory is short. */
Test(diff, equal_changes_are_in_the_order_of_names)
{
    struct trace_method methods[26];
    struct trace_method before[26];
    struct export_report old = sample_report;
    struct export_report report = sample_report;
    struct mb_buf out = {0};

    for (uint32_t i = 0; i < 26; i++) {
        methods[i] = (struct trace_method){.id = 26 - i, .calls = 1, .total = 9, .self = 9};
        before[i] = (struct trace_method){.id = i + 1, .calls = 1, .total = 5, .self = 5};
    }
    old.methods = before;
    report.methods = methods;
    old.method_count = report.method_count = 26;
    old.names.find = report.names.find = letters;
    report.columns = 80;
    report.top = 26;
    report.old = &old;
    export_put_diff(&report, &out);
    mb_buf_put_u1(&out, 0);
    char *at = (char *)out.bytes;
    for (char letter = 'a'; letter <= 'z'; letter++) {
        at = strstr(at, "slower ");
        cr_assert(ne(ptr, at, NULL));
        at += strlen("slower ");
        cr_expect(eq(chr, *at, letter));
    }
    mb_buf_finish(&out);
}
