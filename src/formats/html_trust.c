/* How far to trust the page: a word and a sentence that are always there, the rest on request. */

#include "formats/html.h"

#include "answer/cost.h"
#include "answer/trust.h"

enum level { LEVEL_WHOLE, LEVEL_MOVED, LEVEL_OPEN, LEVEL_PARTS, LEVEL_DAMAGED };

static const struct {
    const char *name;
    const char *mark;
    enum answer_kind words;
} levels[] = {
    [LEVEL_WHOLE] = {"whole", "\xe2\x9c\x93", ANSWER_KIND_TRUST_WHOLE},
    [LEVEL_MOVED] = {"whole", "\xe2\x9c\x93", ANSWER_KIND_TRUST_MOVED},
    [LEVEL_OPEN] = {"parts", "!", ANSWER_KIND_TRUST_OPEN},
    [LEVEL_PARTS] = {"parts", "!", ANSWER_KIND_TRUST_PARTS},
    [LEVEL_DAMAGED] = {"damaged", "\xe2\x9c\x97", ANSWER_KIND_TRUST_DAMAGED},
};

/* Calls and times that are nowhere: a profile has what rings have lost. */
static bool lacks_parts(const struct answer_recording *recording, const struct answer_sums *sums)
{
    uint64_t lost = sums->losses.unseen_words + sums->losses.lapped_words +
                    sums->losses.read.lost_exits + recording->refused_words +
                    recording->absorbed_calls + answer_unwoven_classes(&recording->weaving) +
                    recording->weaving.counts[ABI_WEAVING_METHODS];

    return lost + (recording->has_profile ? 0 : recording->recycled_words) > 0;
}

static enum level find_level(const struct answer_recording *recording,
                             const struct answer_methods *methods, const struct answer_sums *sums)
{
    return sums->losses.missing_words + sums->losses.read.time_went_back > 0 ? LEVEL_DAMAGED
           : lacks_parts(recording, sums)                                    ? LEVEL_PARTS
           : !recording->is_closed                                           ? LEVEL_OPEN
           : methods->mute_count > 0                                         ? LEVEL_MOVED
                                                                             : LEVEL_WHOLE;
}

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
    const struct answer_sums sums = answer_sum(&facts->threads);
    enum level level = find_level(&facts->recording, &facts->methods, &sums);
    const struct answer_finding summary = ANSWER_MAKE(
        SUMMARY, ANSWER_COUNT("calls", sums.calls), ANSWER_NS("span", sums.end_ns - sums.start_ns),
        ANSWER_COUNT("threads", facts->threads.count),
        ANSWER_NS("overhead", answer_overhead_ns(&facts->clock, &facts->threads)));

    mb_buf_printf(out,
                  "<section id=\"trust\"><details class=\"%s\"><summary><span class=\"mark\" "
                  "aria-hidden=\"true\">%s</span> <b>%s.</b> ",
                  levels[level].name, levels[level].mark, answer_words(levels[level].words));
    answer_put_sentence(out, &summary, &voice);
    mb_buf_put_string(out, "</summary>\n<dl>\n");
    put_list(facts, &voice, out);
    mb_buf_put_string(out, "</dl></details></section>\n");
}
