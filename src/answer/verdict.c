/* What two traces side by side tell. */

#include "answer/diff.h"
#include "answer/finding.h"

/* ---- The verdict ---- */

static enum answer_kind find_word(const struct answer_diff *diff)
{
    bool is_slower = diff->cpu.certain_ns > 0 || diff->wall.certain_ns > 0;
    bool is_faster = diff->cpu.certain_ns < 0 || diff->wall.certain_ns < 0;

    if (!diff->old.is_whole || !diff->new.is_whole) {
        return ANSWER_KIND_NOT_WHOLE;
    }
    return is_slower && is_faster ? ANSWER_KIND_SLOWER_AND_FASTER
           : is_slower            ? ANSWER_KIND_SLOWER
           : is_faster            ? ANSWER_KIND_FASTER
                                  : ANSWER_KIND_NO_CHANGE;
}

static void find_change(struct answer_findings *findings, enum answer_kind kind,
                        const struct answer_change *change, int64_t old, int64_t new)
{
    const struct answer_finding finding = {
        .kind = kind,
        .values = {
            ANSWER_NS("was", old), ANSWER_NS("is", new), ANSWER_CHANGE("change", change->percent),
            ANSWER_CHANGE(change->certain_ns != 0 ? "certain" : NULL, change->certain_percent)}};

    answer_add_finding(findings, &finding, true);
}

void answer_find_verdict(struct answer_findings *findings, const struct answer_diff *diff)
{
    bool is_whole = diff->old.is_whole && diff->new.is_whole;
    bool has_cpu = diff->old.has_cpu && diff->new.has_cpu;

    ANSWER_FIND(findings, VERDICT, ANSWER_WORD("verdict", find_word(diff)));
    if (has_cpu) {
        find_change(findings, ANSWER_KIND_CPU_CHANGE, &diff->cpu, diff->old.cpu_ns,
                    diff->new.cpu_ns);
    }
    if (is_whole) {
        find_change(findings, ANSWER_KIND_CLOCK_CHANGE, &diff->wall, diff->old.wall_ns,
                    diff->new.wall_ns);
    }
    if (has_cpu || is_whole) {
        ANSWER_FIND(findings, CERTAINTY, ANSWER_WHOLE_PERCENT("usual", diff->usual),
                    ANSWER_NS(diff->recording_ns > 0 ? "recording" : NULL, diff->recording_ns),
                    ANSWER_NS(diff->ready_ns > 0 ? "ready" : NULL, diff->ready_ns));
    }
}

/* ---- What is left out ---- */

static enum answer_kind find_reason(const struct answer_diff *diff)
{
    return diff->share >= 1                                    ? ANSWER_KIND_NOTHING_CERTAIN
           : diff->share <= ANSWER_METHOD_NOISE / 100.0        ? ANSWER_KIND_RUNS_DIFFER
           : diff->share <= ANSWER_TIMES_MIDDLE * diff->middle ? ANSWER_KIND_TIMES_MIDDLE
                                                               : ANSWER_KIND_TIME_UNSEEN;
}

void answer_find_noise(struct answer_findings *findings, const struct answer_diff *diff)
{
    const struct answer_finding parts[ANSWER_NOISE_COUNT] = {
        [ANSWER_LITTLE] = {.kind = ANSWER_KIND_LITTLE, .values = {ANSWER_PERCENT("limit", 0.2)}},
        [ANSWER_NOISE] = {.kind = ANSWER_KIND_WITHIN_NOISE,
                          .values = {ANSWER_WHOLE_PERCENT("share", diff->share * 100),
                                     ANSWER_WORD("reason", find_reason(diff)),
                                     ANSWER_WHOLE_PERCENT("usual", diff->usual)}},
        [ANSWER_MUTED_TIME] = {.kind = ANSWER_KIND_BY_MUTES},
        [ANSWER_INFERRED_TIME] = {.kind = ANSWER_KIND_BY_INFERENCE},
    };
    bool is_part = false;

    for (size_t i = ANSWER_LITTLE; i < ANSWER_NOISE_COUNT; i++) {
        struct answer_finding part = parts[i];
        if (diff->counts[i] == 0) {
            continue;
        }
        if (!is_part) {
            ANSWER_FIND(findings, LEFT_OUT, ANSWER_COUNT("shown", diff->counts[ANSWER_CERTAIN]));
            is_part = true;
        }
        part.values[ANSWER_MOST_VALUES - 1] = ANSWER_COUNT("methods", diff->counts[i]);
        answer_add_finding(findings, &part, true);
    }
}

const char *answer_pair_word(const struct answer_pair *pair)
{
    return pair->old == NULL              ? "new"
           : pair->new == NULL            ? "gone"
           : answer_pair_change(pair) > 0 ? "slower"
                                          : "faster";
}
