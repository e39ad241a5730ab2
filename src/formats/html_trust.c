/* How far to trust the page: a word and a sentence that are always there, the rest on request. */

#include "formats/html.h"

#include "answer/trust.h"

static void put_list(const struct answer_facts *facts, const struct answer_voice *voice,
                     struct mb_buf *out)
{
    struct answer_findings findings = {0};
    const struct answer_finding *finding = NULL;

    answer_find_trust(&findings, facts);
    while ((finding = answer_next_finding(&findings, finding)) != NULL) {
        mb_buf_printf(out, "<div><dt>%s</dt><dd>", answer_topic(finding->kind));
        answer_put_sentence(out, finding, voice);
        mb_buf_put_string(out, "</dd></div>\n");
    }
    mb_buf_fail_with(out, &findings.rows.buf);
    answer_findings_finish(&findings);
}

void format_html_trust(const struct answer_facts *facts, struct mb_buf *out)
{
    const struct answer_voice voice = {.names = &facts->methods.names, .put = format_html_piece};
    struct answer_findings findings = {0};
    enum answer_kind level = answer_find_summary(&findings, facts);
    bool is_whole = level == ANSWER_KIND_TRUST_WHOLE || level == ANSWER_KIND_TRUST_SAMPLED;
    bool is_damaged = level == ANSWER_KIND_TRUST_DAMAGED;

    mb_buf_printf(out,
                  "<section id=\"trust\"><details class=\"%s\"><summary><span class=\"mark\" "
                  "aria-hidden=\"true\">%s</span> <b>%s</b> ",
                  is_whole     ? "whole"
                  : is_damaged ? "damaged"
                               : "parts",
                  is_whole     ? "\xe2\x9c\x93"
                  : is_damaged ? "\xe2\x9c\x97"
                               : "!",
                  answer_words(level));
    answer_put_sentences(out, &findings, &voice);
    answer_findings_finish(&findings);
    mb_buf_put_string(out, "</summary>\n<dl>\n");
    put_list(facts, &voice, out);
    mb_buf_put_string(out, "</dl></details></section>\n");
}
