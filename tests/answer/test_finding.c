#include "answer/facts.h"
#include "answer/finding.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct mb_text find_name(const void *context, uint32_t id)
{
    (void)context;
    return id == 7 ? MB_TEXT("org.acme.Main.run") : (struct mb_text){0};
}

static const struct answer_names names = {find_name, NULL};

static void expect_said(const struct answer_findings *findings, const struct answer_voice *voice,
                        const char *expected)
{
    struct mb_buf out = {0};

    answer_put_sentences(&out, findings, voice);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((const char *)out.bytes, expected);
    mb_buf_finish(&out);
}

/* Each row: brackets in pairs, and no hole without a name. */
Test(finding, sentences_are_well_formed)
{
    static const char *const sentences[] = {
#define ANSWER_FINDING(kind, topic, sentence) sentence,
#include "answer/findings.def"
#undef ANSWER_FINDING
    };

    for (size_t i = 0; i < MB_COUNT(sentences); i++) {
        char open[8];
        size_t depth = 0;
        for (const char *c = sentences[i]; *c != '\0'; c++) {
            if (*c == '{' || *c == '[') {
                cr_assert(lt(sz, depth, sizeof(open)));
                open[depth++] = *c;
                cr_expect(ne(int, c[1], '}'), "%s", sentences[i]);
            } else if (*c == '}' || *c == ']') {
                cr_assert(gt(sz, depth, 0), "%s", sentences[i]);
                cr_expect(eq(int, open[--depth], *c == '}' ? '{' : '['), "%s", sentences[i]);
            }
        }
        cr_expect(eq(sz, depth, 0), "%s", sentences[i]);
    }
}

Test(finding, values_choose_their_words)
{
    const struct answer_voice plain = {.names = &names};
    struct answer_findings findings = {0};

    ANSWER_FIND(&findings, CUT_OFF, ANSWER_COUNT("records", 1));
    ANSWER_FIND(&findings, CUT_OFF, ANSWER_COUNT("records", 123456));
    expect_said(&findings, &plain,
                "1 record missing at the end of the file 123 k records missing at the end of the "
                "file");
    answer_findings_finish(&findings);
}

Test(finding, parts_are_told_where_they_are_known)
{
    const struct answer_voice narrow = {.names = &names, .room = 12};
    struct answer_findings findings = {0};

    ANSWER_FIND(&findings, IDLE_LOOPS, ANSWER_NS("time", 5000000000));
    ANSWER_FIND_PART(&findings, IDLE_LOOP, ANSWER_METHOD("method", 7),
                     ANSWER_TEXT("pool", MB_TEXT("main")));
    ANSWER_FIND_PART(&findings, IDLE_LOOP, ANSWER_METHOD("method", 8),
                     ANSWER_TEXT("pool", MB_TEXT("a\n")), ANSWER_COUNT("threads", 3));
    answer_find_plain(&findings, ANSWER_KIND_NO_CALLS);
    const struct answer_finding *first = answer_next_finding(&findings, NULL);
    const struct answer_finding *second = answer_next_finding(&findings, first);
    cr_assert(eq(sz, first->part_count, 2));
    cr_expect(eq(int, (int)second->kind, (int)ANSWER_KIND_NO_CALLS));
    cr_expect(eq(ptr, (void *)(uintptr_t)answer_next_finding(&findings, second), NULL));
    expect_said(&findings, &narrow,
                "o.a.Main.run in main, #8 in a\\x0a (3 threads) only wait: their own time, 5.00 s, "
                "is left out of answer, hot path, waits and slow calls This trace has no calls.");
    answer_findings_finish(&findings);
}

/* "[, longest in {wait}[, of which up to {doubt} rests on inferred ends]]." */
Test(finding, what_is_not_known_is_left_out)
{
    const struct answer_voice plain = {.names = &names};
    const struct answer_value doubt = ANSWER_WHOLE_PERCENT("doubt", 61.4);
    struct answer_findings findings = {0};

#define POOL                                                                   \
    ANSWER_TEXT("pool", MB_TEXT("main")), ANSWER_COUNT("threads", 1),          \
        ANSWER_WORD("state", ANSWER_KIND_WAITING), ANSWER_FLAG("whole", true), \
        ANSWER_NS("time", 7)
    ANSWER_FIND(&findings, MAIN_WAITS, POOL);
    expect_said(&findings, &plain, "main was waiting for 7 ns.");
    answer_findings_finish(&findings);
    findings = (struct answer_findings){0};
    ANSWER_FIND(&findings, MAIN_WAITS, POOL, ANSWER_METHOD("wait", 7), doubt);
    expect_said(&findings, &plain,
                "main was waiting for 7 ns, longest in org.acme.Main.run, of which up to 61 % "
                "rests on inferred ends.");
    answer_findings_finish(&findings);
}

static void put_marked(struct mb_buf *out, struct mb_text piece, const struct answer_value *value)
{
    mb_buf_put_string(out, value != NULL ? "<" : "");
    mb_buf_put(out, piece.data, piece.size);
    mb_buf_put_string(out, value != NULL ? value->name : "");
}

Test(finding, a_voice_gets_figures_apart_from_words)
{
    const struct answer_voice marked = {.names = &names, .put = put_marked};
    struct answer_findings findings = {0};

    ANSWER_FIND(&findings, SAMPLING_COST, ANSWER_NS("target", 1000), ANSWER_NS("own", 5));
    expect_said(
        &findings, &marked,
        "sampling cost the program's threads <1.00 ustarget, and its own thread <5 nsown of "
        "CPU time");
    answer_findings_finish(&findings);
}
