/* How far to trust the page: a word and a sentence that are always there, the rest on request. */

#include "formats/html.h"

#include "answer/cost.h"
#include "answer/trust.h"

/* A row of the list, from what the text says in a paragraph. */
static void put_row(void *context, const char *label, const struct mb_buf *text)
{
    struct mb_buf *out = context;

    mb_buf_printf(out, "<div><dt>%s</dt><dd>", label);
    format_html_words(out, text);
    mb_buf_put_string(out, "</dd></div>\n");
}

enum level { LEVEL_WHOLE, LEVEL_MOVED, LEVEL_OPEN, LEVEL_PARTS, LEVEL_DAMAGED };

static const struct {
    const char *name;
    const char *mark;
    const char *words;
} levels[] = {
    [LEVEL_WHOLE] = {"whole", "\xe2\x9c\x93", "Nothing is missing"},
    [LEVEL_MOVED] = {"whole", "\xe2\x9c\x93",
                     "Nothing is missing; the time of some short calls is their callers'"},
    [LEVEL_OPEN] = {"parts", "!", "The end of the run is not here"},
    [LEVEL_PARTS] = {"parts", "!", "Parts are missing"},
    [LEVEL_DAMAGED] = {"damaged", "\xe2\x9c\x97", "The trace is damaged"},
};

/* Calls and times that are nowhere: a profile has what rings have lost. */
static bool lacks_parts(const struct answer_recording *recording, const struct answer_sums *sums)
{
    uint64_t lost = sums->unseen_words + sums->lapped_words + sums->lost_exits +
                    recording->refused_words + recording->absorbed_calls +
                    answer_unwoven_classes(&recording->weaving) +
                    recording->weaving.counts[ABI_WEAVING_METHODS];

    return lost + (recording->has_profile ? 0 : recording->recycled_words) > 0;
}

static enum level find_level(const struct answer_facts *facts, const struct answer_sums *sums)
{
    return sums->missing_words + sums->time_went_back > 0 ? LEVEL_DAMAGED
           : lacks_parts(&facts->recording, sums)         ? LEVEL_PARTS
           : !facts->recording.is_closed                  ? LEVEL_OPEN
           : facts->methods.mute_count > 0                ? LEVEL_MOVED
                                                          : LEVEL_WHOLE;
}

void format_html_trust(const struct answer_facts *facts, struct mb_buf *out)
{
    const struct answer_items items = {.put = put_row, .context = out};
    const struct answer_sums sums = answer_sum(&facts->threads);
    enum level level = find_level(facts, &sums);

    mb_buf_printf(out,
                  "<section id=\"trust\"><details class=\"%s\"><summary><span class=\"mark\" "
                  "aria-hidden=\"true\">%s</span> <b>%s.</b> ",
                  levels[level].name, levels[level].mark, levels[level].words);
    format_html_count(out, sums.calls);
    mb_buf_put_string(out, sums.calls == 1 ? " call in " : " calls in ");
    format_html_time(out, (int64_t)((sums.end_ns - sums.start_ns) & INT64_MAX));
    mb_buf_printf(out, ", %zu thread%s; calling probes took about ", facts->threads.count,
                  facts->threads.count == 1 ? "" : "s");
    format_html_time(out, answer_overhead_ns(facts));
    mb_buf_put_string(out, ".</summary>\n<dl>\n");
    answer_tell_trust(facts, &items);
    mb_buf_put_string(out, "</dl></details></section>\n");
}
