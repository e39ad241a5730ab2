#include "sample.h"

#include "answer/marks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

/* 1 holds calls of 2 and 3, which were muted; 61 % of 3 is inferred, and less than 1 % of 1. */
static const struct trace_method methods[] = {
    {.id = 3, .calls = 50, .total = 1000, .self = 5, .inferred = 619},
    {.id = 1, .calls = 9, .total = 3000, .self = 1, .inferred = 29},
    {.id = 2, .calls = 9, .total = 20, .self = 20},
};
static const struct answer_mute mutes[] = {{.id = 2}, {.id = 3}};
static const struct answer_held held[] = {{.caller = 1, .id = 3, .calls = 40},
                                          {.caller = 1, .id = 2, .calls = 2}};

static struct answer_facts make_report(void)
{
    struct answer_facts facts = sample_report;

    facts.methods.rows = methods;
    facts.methods.count = MB_COUNT(methods);
    facts.methods.mutes = mutes;
    facts.methods.mute_count = MB_COUNT(mutes);
    facts.methods.held = held;
    facts.methods.held_count = MB_COUNT(held);
    return facts;
}

static void expect_signs(const struct answer_marks *marks, const char *expected)
{
    struct mb_buf out = {0};

    answer_put_signs(&out, marks);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
}

Test(marks, are_those_of_the_methods_row)
{
    static const char *const expected[] = {"", " ^", " ~", " ~ ?61%"};
    const struct answer_facts facts = make_report();
    struct trace_method *rows = answer_sort_methods(methods, MB_COUNT(methods), ANSWER_BY_ID);

    for (uint32_t id = 1; id <= 3; id++) {
        const struct answer_marks marks = answer_find_marks(&facts.methods, rows, id);
        expect_signs(&marks, expected[id]);
    }
    const struct answer_marks unknown = answer_find_marks(&facts.methods, rows, 4);
    expect_signs(&unknown, "");
    free(rows);
}

Test(marks, know_whose_calls_are_held)
{
    const struct answer_facts facts = make_report();
    const struct answer_marks marks = answer_marks_of(&facts.methods, 1, 0, 0);

    cr_expect(eq(sz, marks.held_count, 2));
    cr_expect(eq(u32, marks.held->id, 3));
}

Test(marks, of_calls_are_by_what_is_inferred_of_them)
{
    const struct answer_facts facts = make_report();
    const struct answer_marks marks = answer_marks_of(&facts.methods, 1, 1, 1);

    expect_signs(&marks, " ^ ?100%");
    cr_expect(eq(u32, answer_inferred_percent(1, 101), 0));
    cr_expect(eq(u32, answer_inferred_percent(2, 1), 100));
    cr_expect(eq(u32, answer_inferred_percent(1, 0), 0));
}

static void expect_note(const struct answer_facts *facts, enum answer_mark mark,
                        const char *methods_of_it)
{
    struct mb_buf note = {0};
    struct mb_buf expected = {0};

    answer_put_mark_note(&facts->methods, &note, mark);
    mb_buf_put_u1(&note, 0);
    if (methods_of_it[0] != '\0') {
        mb_buf_printf(&expected, "%s %s: %s", answer_mark_infos[mark].sign,
                      answer_words(answer_mark_infos[mark].meaning), methods_of_it);
    }
    mb_buf_put_u1(&expected, 0);
    cr_expect_str_eq((char *)note.bytes, (char *)expected.bytes);
    mb_buf_finish(&note);
    mb_buf_finish(&expected);
}

Test(marks, are_told_with_all_their_methods_most_own_time_first)
{
    struct answer_facts facts = make_report();

    expect_note(&facts, ANSWER_MARK_MUTED, "d.E, #3");
    expect_note(&facts, ANSWER_MARK_HOLDS, "a.B;\"c\"");
    expect_note(&facts, ANSWER_MARK_INFERRED, "#3 61%");
    facts.methods.mute_count = 0;
    expect_note(&facts, ANSWER_MARK_MUTED, "");
}
