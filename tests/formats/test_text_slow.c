#include "sample.h"

#include "formats/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void expect_slow(const struct answer_facts *facts, const char *expected)
{
    struct mb_buf out = {0};

    format_put_slow(&facts->recording, &facts->messages, &facts->clock, &facts->methods,
                    &sample_look, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
}

Test(slow, the_stack_of_the_slowest_is_shown)
{
    const struct answer_slow twice[] = {*sample_report.messages.slow, *sample_report.messages.slow};
    struct answer_facts facts = sample_report;

    facts.messages.slow = twice;
    facts.messages.slow_count = 2;
    sample_look.columns = 80;
    expect_slow(&facts, "\nSlow outermost calls (700 ms or more)\n"
                        "     total count  longest  mostly in\n"
                        "    1.00 s     1   1.00 s  d.E\n"
                        "\n  1.00 s at 10.0 ms in main;1, still running\n"
                        "      time calls\n"
                        "    1.00 s     1  a.B;\"c\" +\n"
                        "    600 ms     3   d.E +\n"
                        "    200 ms     1    #3 +\n"
                        "\n  (1 more: --show=stacks)\n");
}

Test(slow, nothing_slow_is_nothing_to_say)
{
    struct answer_facts facts = sample_report;

    facts.messages.slow_count = 0;
    expect_slow(&facts, "");
}
