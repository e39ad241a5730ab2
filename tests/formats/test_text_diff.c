#include "sample.h"

#include "answer/diff.h"
#include "formats/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct mb_text old_names(const void *context, uint32_t id)
{
    (void)context;
    return id == 8 ? MB_TEXT("d.E") : id == 9 ? MB_TEXT("was.Here") : (struct mb_text){0};
}

static void expect_diff(const struct answer_facts *old, const struct answer_facts *new,
                        const char *expected)
{
    struct mb_buf out = {0};

    sample_look.old = old;
    format_put_diff(new, &sample_look, &out);
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
    struct answer_facts old = sample_report;
    struct answer_facts facts = sample_report;

    old.methods.rows = methods;
    old.methods.names.find = old_names;
    sample_look.columns = 80;
    sample_look.top = 20;
    expect_diff(&old, &facts,
                "\nChanges of own time since the old trace\n"
                "       own      was       is  calls    are\n"
                "  - 140 ms   180 ms  40.0 ms      9      9  faster d.E\n"
                "  -80.0 ms  80.0 ms     0 ns      1      -  gone   was.Here\n"
                "  +2.00 ms     0 ns  2.00 ms      -      9  new    a.B;\"c\"\n");
    sample_look.top = 1;
    expect_diff(&old, &facts,
                "\nChanges of own time since the old trace\n"
                "       own      was       is  calls    are\n"
                "  - 140 ms   180 ms  40.0 ms      9      9  faster d.E\n"
                "  (2 more)\n");
}

Test(diff, nothing_is_compared_with_nothing)
{
    struct answer_facts none = sample_report;

    none.methods.count = 0;
    expect_diff(&none, &none,
                "\nChanges of own time since the old trace\n"
                "  (none for certain)\n");
}

/* By which rule, and how many. */
Test(diff, what_is_left_out_is_told)
{
    const struct trace_method before[] = {{.id = 1, .calls = 1, .self = 1000},
                                          {.id = 2, .calls = 1, .self = 2000},
                                          {.id = 3, .calls = 1, .self = 3000}};
    const struct trace_method after[] = {{.id = 1, .calls = 1, .self = 1001},
                                         {.id = 2, .calls = 1, .self = 2090},
                                         {.id = 3, .calls = 1, .self = 4300}};
    static const struct answer_mute mute = {.id = 3, .calls = 1};
    struct answer_facts old = sample_report;
    struct answer_facts facts = sample_report;

    old.methods.rows = before;
    facts.methods.rows = after;
    facts.methods.mutes = &mute;
    facts.methods.mute_count = 1;
    sample_look.columns = 80;
    expect_diff(&old, &facts,
                "\nChanges of own time since the old trace\n"
                "       own      was       is  calls    are\n"
                "  + 2.60 s   6.00 s   8.60 s      1      1  slower #3 ~\n"
                "  left out   1 changed by less than 0.2 % of the run, 1 by less than 10 % of\n"
                "             their time and 5 % of the run\n");
}

static void expect_verdict(const struct answer_run *old, const struct answer_run *new,
                           const char *expected)
{
    struct answer_diff diff = {.old = *old, .new = *new};
    const struct answer_voice voice = {0};
    struct answer_findings findings = {0};
    struct mb_buf out = {0};

    diff.wall = (struct answer_change){.change_ns = 5, .percent = 2};
    diff.cpu = (struct answer_change){
        .change_ns = 400000000, .certain_ns = 200000000, .percent = 20, .certain_percent = 10};
    diff.ready_ns = 3000000;
    answer_find_verdict(&findings, &diff);
    answer_put_sentences(&out, &findings, &voice);
    answer_findings_finish(&findings);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
}

Test(diff, the_verdict_says_how_much_is_certain)
{
    struct answer_run old = {
        .wall_ns = 5000000000, .cpu_ns = 2000000000, .has_cpu = true, .is_whole = true};
    struct answer_run new = {
        .wall_ns = 5100000000, .cpu_ns = 2400000000, .has_cpu = true, .is_whole = true};

    expect_verdict(&old, &new,
                   "Slower: 2.40 s of CPU time, was 2.00 s (+20.0 %, +10.0 % certain); 5.10 s of "
                   "wall time, was 5.00 s (+2.0 %, none of it certain). A change counts beyond "
                   "5 % (usual variation between runs) and, in wall time, 3.00 ms (CPU "
                   "contention).");
    old.has_cpu = old.is_whole = false;
    expect_verdict(&old, &new,
                   "The runs cannot be compared as a whole: a ring holds only the end of its run.");
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
    struct answer_facts old = sample_report;
    struct answer_facts facts = sample_report;
    struct mb_buf out = {0};

    for (uint32_t i = 0; i < 26; i++) {
        methods[i] = (struct trace_method){.id = 26 - i, .calls = 1, .total = 9, .self = 9};
    }
    old.methods.count = 0;
    facts.methods.rows = methods;
    facts.methods.count = 26;
    old.methods.names.find = facts.methods.names.find = letters;
    sample_look.columns = 80;
    sample_look.top = 26;
    sample_look.old = &old;
    format_put_diff(&facts, &sample_look, &out);
    mb_buf_put_u1(&out, 0);
    char *at = (char *)out.bytes;
    for (char letter = 'a'; letter <= 'z'; letter++) {
        at = strstr(at, "new    ");
        cr_assert(ne(ptr, at, NULL));
        at += strlen("new    ");
        cr_expect(eq(chr, *at, letter));
    }
    mb_buf_finish(&out);
}
