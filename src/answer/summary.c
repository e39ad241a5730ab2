/* How far to trust a report, in one line. */

#include "answer/cost.h"
#include "answer/trust.h"

/* Calls and times that are nowhere: a profile has what rings have lost. */
static bool lacks_parts(const struct answer_facts *facts, const struct answer_sums *sums)
{
    const struct answer_recording *recording = &facts->recording;
    uint64_t lost = sums->losses.unseen_words + sums->losses.lapped_words +
                    sums->losses.read.lost_exits + recording->refused_words +
                    recording->absorbed_calls + answer_unwoven_classes(&recording->weaving) +
                    recording->weaving.counts[ABI_WEAVING_METHODS] + facts->sampling.left_out;

    return lost + (recording->has_profile ? 0 : recording->recycled_words) > 0;
}

static enum answer_kind find_level(const struct answer_facts *facts, const struct answer_sums *sums)
{
    return sums->losses.missing_words + sums->losses.read.time_went_back > 0
               ? ANSWER_KIND_TRUST_DAMAGED
           : lacks_parts(facts, sums)         ? ANSWER_KIND_TRUST_PARTS
           : !facts->recording.is_closed      ? ANSWER_KIND_TRUST_OPEN
           : !answer_has_records(facts, sums) ? ANSWER_KIND_TRUST_SAMPLED
           : facts->methods.mute_count > 0    ? ANSWER_KIND_TRUST_MUTED
                                              : ANSWER_KIND_TRUST_WHOLE;
}

enum answer_kind answer_find_summary(struct answer_findings *findings,
                                     const struct answer_facts *facts)
{
    const struct answer_sums sums = answer_sum(&facts->threads);
    bool has_records = answer_has_records(facts, &sums);
    bool has_samples = facts->sampling.is_known && !facts->sampling.is_of_gaps;

    ANSWER_FIND(findings, SUMMARY, ANSWER_FLAG("both", has_records && has_samples),
                ANSWER_COUNT(has_records ? "calls" : NULL, sums.calls),
                ANSWER_COUNT(has_samples ? "stacks" : NULL, facts->sampling.taken),
                ANSWER_NS("span", sums.end_ns - sums.start_ns),
                ANSWER_COUNT("threads", facts->threads.count),
                ANSWER_NS(has_records ? "overhead" : NULL,
                          answer_overhead_ns(&facts->clock, &facts->threads)),
                ANSWER_NS(has_samples ? "target" : NULL, facts->sampling.target_ns));
    return find_level(facts, &sums);
}
