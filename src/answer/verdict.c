/* What two traces side by side tell. */

#include "answer/diff.h"
#include "answer/finding.h"
#include "answer/requests.h"
#include "answer/words.h"

#define MOST_SUSPECTS 3

/* ---- The verdict ---- */

/* The kind that became slower for certain, of its slow ones if any did; NULL if none did. */
static const struct answer_tail *find_slower(const struct answer_diff *diff,
                                             enum answer_share *share)
{
    for (size_t i = ANSWER_SHARES; i > 0; i--) {
        *share = (enum answer_share)(i - 1);
        const struct answer_tail *tail = answer_tails_slowest(&diff->tails, *share);
        if (tail != NULL && answer_tail_change(tail, *share)->certain_percent > 0) {
            return tail;
        }
    }
    return NULL;
}

/* The cause of most that its slow ones took more, without what lengths are compared without. */
static const struct answer_excess *find_cause(const struct answer_request *kind)
{
    size_t i = 0;

    while (i < kind->excess_count && kind->excesses[i].state == ANSWER_STATE_READY) {
        i++;
    }
    bool is_cause = i < kind->excess_count && kind->excesses[i].state != ANSWER_STATE_MIXED &&
                    kind->excesses[i].count >= ANSWER_LEAST_CAUSED;
    return is_cause ? &kind->excesses[i] : NULL;
}

/* Returns the cause that it tells; NULL if none. */
static const struct answer_excess *find_slower_kind(struct answer_findings *findings,
                                                    const struct answer_diff *diff)
{
    static const struct answer_excess none = {0};
    enum answer_share share;
    const struct answer_tail *tail = find_slower(diff, &share);
    bool is_tail = tail != NULL && share == ANSWER_P99;
    const struct answer_excess *found = is_tail ? find_cause(tail->new) : NULL;
    const struct answer_excess *cause = found != NULL ? found : &none;

    if (tail == NULL) {
        return NULL;
    }
    const struct answer_tail_change *change = answer_tail_change(tail, share);
    ANSWER_FIND(findings, SLOWER_KIND, ANSWER_METHOD("kind", tail->new->id),
                ANSWER_NS("is", change->new->ns), ANSWER_NS("was", change->old->ns),
                ANSWER_NUMBER("percent", is_tail ? 99 : 50),
                ANSWER_FLAG(change->is_on_processor ? "less" : NULL, true),
                ANSWER_CAUSE(cause, found != NULL));
    return found;
}

/* That takes most time and is a method's, but told; NULL if none is new. */
static const struct answer_excess *find_new(const struct answer_diff *diff,
                                            const struct answer_tail *tail,
                                            const struct answer_excess *told)
{
    const struct answer_side is = {tail->new, diff->new_methods};
    const struct answer_side was = {tail->old, diff->old_methods};
    const struct answer_excess *found = NULL;

    for (size_t i = 0; tail->old != NULL && i < tail->new->excess_count; i++) {
        const struct answer_excess *one = &tail->new->excesses[i];
        bool is_one = one->state > ANSWER_STATE_READY && one != told &&
                      answer_tail_lacks(one, &is, &was, ANSWER_GROWN);
        found = is_one && (found == NULL || one->more_ns > found->more_ns) ? one : found;
    }
    return found;
}

static void find_new_cause(struct answer_findings *findings, const struct answer_diff *diff,
                           const struct answer_excess *told)
{
    const struct answer_tail *tail = NULL;
    const struct answer_excess *found = NULL;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->tails); i++) {
        const struct answer_tail *one = &diff->tails.items[i];
        const struct answer_excess *cause = find_new(diff, one, told);
        bool is_most = cause != NULL && (found == NULL || cause->more_ns > found->more_ns);
        tail = is_most ? one : tail;
        found = is_most ? cause : found;
    }
    if (found != NULL) {
        ANSWER_FIND(findings, NEW_CAUSE, ANSWER_COUNT("slow", found->count),
                    ANSWER_COUNT("calls", tail->new->known_calls),
                    ANSWER_METHOD("kind", tail->new->id), ANSWER_CAUSE(found, true));
    }
}

static enum answer_kind find_word(const struct answer_diff *diff)
{
    bool is_slower = diff->cpu.certain_ns > 0 || diff->wall.certain_ns > 0;
    bool is_faster = diff->cpu.certain_ns < 0 || diff->wall.certain_ns < 0;
    enum answer_share share;

    if (!diff->old.is_whole || !diff->new.is_whole) {
        return ANSWER_KIND_NOT_WHOLE;
    }
    return is_slower && is_faster              ? ANSWER_KIND_SLOWER_AND_FASTER
           : is_slower                         ? ANSWER_KIND_SLOWER
           : is_faster                         ? ANSWER_KIND_FASTER
           : find_slower(diff, &share) != NULL ? ANSWER_KIND_SLOWER_REQUESTS
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

/* What became slower, the most likely cause first. */
static void find_suspects(struct answer_findings *findings, const struct answer_diff *diff)
{
    const struct answer_pair *pairs = diff->pairs.items;
    size_t told = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs) && told < MOST_SUSPECTS; i++) {
        bool is_one = answer_pair_change(&pairs[i]) > 0 && (pairs[i].is_certain || told == 0);
        if (is_one && told == 0) {
            ANSWER_FIND(findings, SUSPECTS, ANSWER_FLAG("certain", pairs[i].is_certain));
        }
        if (is_one) {
            ANSWER_FIND_PART(findings, SUSPECT, ANSWER_METHOD("method", pairs[i].id));
            told++;
        }
    }
}

void answer_put_suspects(const struct answer_diff *diff, struct mb_buf *out)
{
    const struct answer_voice voice = {.names = &diff->new_methods->names};
    struct answer_findings findings = {0};

    find_suspects(&findings, diff);
    answer_put_sentences(out, &findings, &voice);
    mb_buf_fail_with(out, &findings.rows.buf);
    answer_findings_finish(&findings);
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
        ANSWER_FIND(findings, CERTAINTY, ANSWER_WHOLE_PERCENT("usual", ANSWER_USUAL_NOISE),
                    ANSWER_NS(diff->recording_ns > 0 ? "recording" : NULL, diff->recording_ns),
                    ANSWER_NS(diff->busy_ns > 0 ? "busy" : NULL, diff->busy_ns),
                    ANSWER_NS(diff->ready_ns > 0 ? "ready" : NULL, diff->ready_ns));
    }
    find_new_cause(findings, diff, find_slower_kind(findings, diff));
    if (answer_diff_slower(diff) > 0) {
        find_suspects(findings, diff);
    }
}

/* ---- What is left out ---- */

void answer_find_noise(struct answer_findings *findings, const struct answer_diff *diff)
{
    if (diff->little + diff->noise > 0) {
        ANSWER_FIND(findings, LEFT_OUT, ANSWER_COUNT("shown", diff->certain));
    }
    if (diff->little > 0) {
        ANSWER_FIND_PART(findings, LITTLE, ANSWER_COUNT("methods", diff->little),
                         ANSWER_PERCENT("limit", ANSWER_LITTLE_PERCENT));
    }
    if (diff->noise > 0) {
        ANSWER_FIND_PART(findings, WITHIN_NOISE, ANSWER_COUNT("methods", diff->noise),
                         ANSWER_WHOLE_PERCENT("share", diff->share * 100),
                         ANSWER_WHOLE_PERCENT("usual", ANSWER_USUAL_NOISE),
                         ANSWER_NS(diff->tick_ns > 0 ? "tick" : NULL, diff->tick_ns),
                         ANSWER_COUNT(diff->explained > 0 ? "explained" : NULL, diff->explained));
    }
}

const char *answer_pair_word(const struct answer_pair *pair)
{
    return pair->is_wait                  ? "waits"
           : pair->old == NULL            ? "new"
           : pair->new == NULL            ? "gone"
           : answer_pair_change(pair) > 0 ? "slower"
                                          : "faster";
}
