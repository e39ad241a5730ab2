/* How far to trust a report: what it does not show, how much that is, and which setting cures
 * it. */

#include "answer/trust.h"

#include "answer/cost.h"
#include "answer/marks.h"
#include "answer/pools.h"
#include "base/number.h"

#include <stdlib.h>

struct search {
    const struct answer_facts *facts;
    struct answer_sums sums;
    struct answer_findings *findings;
};

/* ---- Coverage ---- */

static int64_t held_ns(const struct answer_thread *thread)
{
    return thread->time.ring_end_ns > thread->time.ring_start_ns
               ? (int64_t)(thread->time.ring_end_ns - thread->time.ring_start_ns)
               : 0;
}

/* The one that has the shortest time of those that have overwritten records; and how many do. */
static const struct answer_thread *find_lapped(const struct search *s, size_t *count)
{
    const struct answer_thread *shortest = NULL;

    for (size_t i = 0; i < s->facts->threads.count; i++) {
        const struct answer_thread *thread = &s->facts->threads.rows[i];
        if (answer_losses_of(thread)->lapped_words > 0) {
            shortest = shortest == NULL || held_ns(thread) < held_ns(shortest) ? thread : shortest;
            (*count)++;
        }
    }
    return shortest;
}

/* Of a profile: what it has, then what only rings tell. */
static void find_recorded(struct search *s)
{
    bool is_whole = s->sums.losses.unseen_words == 0 && s->facts->recording.absorbed_calls == 0;
    bool has_profile = s->facts->recording.has_profile;
    size_t count = 0;
    const struct answer_thread *lapped = find_lapped(s, &count);

    if (has_profile || lapped == NULL) {
        const struct answer_finding recorded = {
            .kind = has_profile ? ANSWER_KIND_PROFILE : ANSWER_KIND_ALL_RECORDED,
            .values = {ANSWER_FLAG("all", is_whole), ANSWER_COUNT("calls", s->sums.calls),
                       ANSWER_NS("span", s->sums.end_ns - s->sums.start_ns)}};
        answer_add_finding(s->findings, &recorded, false);
    }
    if (lapped != NULL) {
        ANSWER_FIND(s->findings, RING_HOLDS, ANSWER_TEXT("thread", lapped->name),
                    ANSWER_NS("held", held_ns(lapped)), ANSWER_NS("run", lapped->time.end_ns),
                    ANSWER_COUNT("records", answer_losses_of(lapped)->lapped_words),
                    ANSWER_FLAG("profile", lapped->is_profiled),
                    ANSWER_COUNT(count > 1 ? "more" : NULL, count - 1));
    }
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part * 100 / (double)whole : 0;
}

/* Written faster than they were read, or not read when the process died; and without a node: in no
 * method's calls, and their time is their callers' own. */
static void find_unseen(struct search *s)
{
    uint64_t unseen = s->sums.losses.unseen_words;
    uint64_t records = s->sums.losses.read.words + unseen;
    uint64_t absorbed = s->facts->recording.absorbed_calls;

    if (unseen > 0) {
        ANSWER_FIND(s->findings, UNSEEN, ANSWER_COUNT("unseen", unseen),
                    ANSWER_COUNT("records", records),
                    ANSWER_PERCENT("share", share_of(unseen, records)));
    }
    if (absorbed > 0) {
        ANSWER_FIND(s->findings, ABSORBED, ANSWER_COUNT("calls", absorbed),
                    ANSWER_PERCENT("share", share_of(absorbed, s->sums.calls + absorbed)));
    }
}

static void find_coverage(struct search *s)
{
    find_recorded(s);
    if (s->facts->recording.has_profile) {
        find_unseen(s);
    }
}

/* Of a method that was muted before there was this recording nothing is known. */
static void find_mutes(struct search *s)
{
    uint64_t least = UINT64_MAX;
    size_t before = 0;
    size_t by_budget = 0;

    for (size_t i = 0; i < s->facts->methods.mute_count; i++) {
        const struct answer_mute *mute = &s->facts->methods.mutes[i];
        bool is_cheap = !mute->was_before && !mute->is_budget;
        before += mute->was_before;
        by_budget += mute->is_budget;
        least = is_cheap && mute->calls < least ? mute->calls : least;
    }
    size_t by_throttle = s->facts->methods.mute_count - before - by_budget;
    if (before > 0) {
        ANSWER_FIND(s->findings, MUTED_BEFORE, ANSWER_COUNT("methods", before));
    }
    if (by_budget > 0) {
        ANSWER_FIND(s->findings, MUTED_BY_BUDGET, ANSWER_COUNT("methods", by_budget));
    }
    if (by_throttle > 0) {
        ANSWER_FIND(s->findings, MUTED_BY_THROTTLE, ANSWER_COUNT("methods", by_throttle),
                    ANSWER_COUNT("calls", least),
                    ANSWER_FLAG("sampled", s->facts->sampling.is_known));
    }
}

/* The number of a kind, unless that is 0. */
static void find_count(struct search *s, enum answer_kind kind, const char *name, uint64_t count)
{
    const struct answer_finding finding = {.kind = kind, .values = {ANSWER_COUNT(name, count)}};

    if (count > 0) {
        answer_add_finding(s->findings, &finding, false);
    }
}

static void find_threads(struct search *s)
{
    const struct answer_recording *recording = &s->facts->recording;

    find_count(s, ANSWER_KIND_THREADS_REFUSED, "records", recording->refused_words);
    find_count(s, ANSWER_KIND_RINGS_RECYCLED, "records", recording->recycled_words);
    if (s->facts->threads.count == 1 && s->facts->threads.rows[0].is_main &&
        recording->refused_words == 0 && recording->ring_count <= 1) {
        answer_find_plain(s->findings, ANSWER_KIND_ONLY_MAIN);
    }
}

/* ---- Probes that came while the program ran ---- */

static void find_unwoven(struct search *s)
{
    static const struct {
        enum abi_weaving what;
        enum answer_kind kind;
    } reasons[] = {
        {ABI_WEAVING_DAMAGED, ANSWER_KIND_CLASSES_DAMAGED},
        {ABI_WEAVING_MEMORY, ANSWER_KIND_CLASSES_MEMORY},
        {ABI_WEAVING_REFUSED, ANSWER_KIND_CLASSES_REFUSED},
        {ABI_WEAVING_CROWDED, ANSWER_KIND_CLASSES_CROWDED},
        {ABI_WEAVING_IDS, ANSWER_KIND_CLASSES_IDS},
        {ABI_WEAVING_BOOT, ANSWER_KIND_CLASSES_BOOT},
    };
    const struct answer_weaving *weaving = &s->facts->recording.weaving;
    uint64_t unwoven = answer_unwoven_classes(weaving);

    if (unwoven == 0) {
        return;
    }
    ANSWER_FIND(s->findings, UNWOVEN, ANSWER_COUNT("unwoven", unwoven),
                ANSWER_COUNT("classes", unwoven + weaving->counts[ABI_WEAVING_CLASSES]));
    for (size_t i = 0; i < MB_COUNT(reasons); i++) {
        uint64_t classes = weaving->counts[reasons[i].what];
        const struct answer_finding part = {.kind = reasons[i].kind,
                                            .values = {ANSWER_COUNT("classes", classes)}};
        if (classes > 0) {
            answer_add_finding(s->findings, &part, true);
        }
    }
}

static void find_weaving(struct search *s)
{
    const uint64_t *counts = s->facts->recording.weaving.counts;

    find_unwoven(s);
    find_count(s, ANSWER_KIND_LARGE_METHODS, "methods", counts[ABI_WEAVING_METHODS]);
    if (counts[ABI_WEAVING_INSIDE] > 0) {
        ANSWER_FIND(s->findings, CALLS_INSIDE, ANSWER_COUNT("threads", counts[ABI_WEAVING_THREADS]),
                    ANSWER_COUNT("calls", counts[ABI_WEAVING_INSIDE]));
    }
}

/* ---- Inferred ends ---- */

#define MOST_INFERRED 3

static const struct trace_method *find_most_inferred(const struct answer_methods *methods,
                                                     const struct trace_method *before)
{
    const struct trace_method *most = NULL;

    for (size_t i = 0; i < methods->count; i++) {
        const struct trace_method *row = &methods->rows[i];
        bool is_left = before == NULL || row->inferred < before->inferred ||
                       (row->inferred == before->inferred && row > before);
        if (is_left && answer_inferred_percent(row->inferred, row->total) > 0 &&
            (most == NULL || row->inferred > most->inferred)) {
            most = row;
        }
    }
    return most;
}

/* With the methods that it is worth to look at. */
static void find_inferred(struct search *s)
{
    const struct trace_method *row = find_most_inferred(&s->facts->methods, NULL);

    if (s->sums.losses.read.inferred_exits == 0) {
        return;
    }
    ANSWER_FIND(s->findings, INFERRED, ANSWER_COUNT("calls", s->sums.losses.read.inferred_exits));
    for (size_t i = 0; row != NULL && i < MOST_INFERRED; i++) {
        ANSWER_FIND_PART(s->findings, INFERRED_MOST, ANSWER_METHOD("method", row->id),
                         ANSWER_NS("time", answer_ns(&s->facts->clock, row->inferred)));
        row = find_most_inferred(&s->facts->methods, row);
    }
}

/* ---- Losses ---- */

static void find_losses(struct search *s)
{
    find_count(s, ANSWER_KIND_CUT_OFF, "records", s->sums.losses.missing_words);
    find_count(s, ANSWER_KIND_EXITS_ONLY, "exits", s->sums.losses.read.lost_entries);
    find_count(s, ANSWER_KIND_ENTRIES_ONLY, "calls", s->sums.losses.read.lost_exits);
    find_inferred(s);
    find_count(s, ANSWER_KIND_DEEP_CALLS, "calls", s->sums.losses.read.deep_calls);
    find_count(s, ANSWER_KIND_IMPOSSIBLE, "calls", s->sums.losses.read.time_went_back);
    find_count(s, ANSWER_KIND_STILL_OPEN, "calls", s->sums.losses.read.open_calls);
}

/* What times count, if that is not all of them. */
static void find_counted(struct search *s)
{
    const bool is_cpu = s->facts->counted == ANSWER_CPU;

    if (s->facts->counted == ANSWER_WALL) {
        return;
    }
    ANSWER_FIND(s->findings, COUNTED, ANSWER_FLAG("cpu", is_cpu),
                ANSWER_FLAG("guess", is_cpu && answer_tells_no_waits(s->facts)),
                ANSWER_NS(s->facts->left_out_ns > 0 ? "leftOut" : NULL, s->facts->left_out_ns));
}

/* Without a word of it where no thread is known to have waited. */
bool answer_tells_no_waits(const struct answer_facts *facts)
{
    bool has_samples = facts->sampling.is_known && !facts->sampling.is_of_gaps;

    return !has_samples && !facts->threads.have_bounds;
}

static void find_waiting(struct search *s)
{
    size_t lacking = 0;
    size_t waiting = 0;

    for (size_t i = 0; i < s->facts->threads.count; i++) {
        const struct answer_time *time = &s->facts->threads.rows[i].time;
        lacking += time->waited_ns > 0 && !time->knows_ready;
    }
    for (size_t i = 0; answer_tells_no_waits(s->facts) && i < s->facts->methods.count; i++) {
        waiting += answer_is_waiting(&s->facts->methods.rows[i]);
    }
    find_count(s, ANSWER_KIND_READY_UNKNOWN, "threads", lacking);
    find_count(s, ANSWER_KIND_ASLEEP, "methods", waiting);
}

/* ---- Idle loops ---- */

/* The loop that the thread lives in, if it is idle; NULL otherwise. */
static const struct trace_node *idle_loop(const struct answer_thread *thread)
{
    const struct trace_node *loop = NULL;

    for (size_t i = 0; i < thread->node_count && thread->idle_count > 0 && loop == NULL; i++) {
        const struct trace_node *node = &thread->nodes[i];
        loop = node->is_idle && node->parent == TRACE_NO_NODE ? node : NULL;
    }
    return loop;
}

/* Threads of one pool are told with the first of them. */
static bool is_same_loop(const struct answer_thread *a, const struct answer_thread *b)
{
    return a->idle_count > 0 && b->idle_count > 0 && a->idle_ids[0] == b->idle_ids[0] &&
           a->is_main == b->is_main &&
           mb_text_equal(answer_name_stem(a->name), answer_name_stem(b->name));
}

/* "Acceptor.run in acceptor", "Worker.run in pool-1-thread-* (4 threads)". */
static void find_idle_loop(struct search *s, size_t index)
{
    const struct answer_thread *thread = &s->facts->threads.rows[index];
    struct answer_pool pool = {.stem = answer_name_stem(thread->name), .first = thread};
    bool is_virtual = thread->is_virtual;
    const struct trace_node *loop = idle_loop(thread);

    for (size_t i = 0; i < index; i++) {
        if (is_same_loop(&s->facts->threads.rows[i], thread)) {
            return;
        }
    }
    for (size_t i = index; i < s->facts->threads.count; i++) {
        pool.row_count += is_same_loop(thread, &s->facts->threads.rows[i]);
    }
    if (loop == NULL) {
        return;
    }
    ANSWER_FIND_PART(
        s->findings, IDLE_LOOP, ANSWER_METHOD("method", loop->id), answer_pool_value(&pool),
        ANSWER_COUNT(is_virtual ? "most" : NULL, pool.row_count),
        ANSWER_COUNT(!is_virtual && pool.row_count > 1 ? "threads" : NULL, pool.row_count));
}

static void find_idle(struct search *s)
{
    const struct answer_threads *threads = &s->facts->threads;
    size_t count = 0;
    int64_t idle_ns = 0;

    for (size_t i = 0; i < threads->count; i++) {
        bool is_idle = idle_loop(&threads->rows[i]) != NULL;
        count += is_idle;
        idle_ns = trace_add(idle_ns, is_idle ? threads->rows[i].time.idle_ns : 0);
    }
    if (count > 0) {
        ANSWER_FIND(s->findings, IDLE_LOOPS, ANSWER_NS("time", idle_ns));
    }
    for (size_t i = 0; i < threads->count && count > 0; i++) {
        if (idle_loop(&threads->rows[i]) != NULL) {
            find_idle_loop(s, i);
        }
    }
}

#define MOST_EXACT 99.9 /* percent; all of them would need no word */

static void find_clock(struct search *s)
{
    const struct answer_clock *clock = &s->facts->clock;
    const struct answer_losses *losses = &s->sums.losses;
    int64_t tick = answer_tick_ns(clock);
    double exact = share_of(losses->exact_words, losses->read.words);

    if (tick > 0) {
        ANSWER_FIND(s->findings, COARSE_CLOCK,
                    ANSWER_PERCENT(exact > 0 ? "exact" : NULL, mb_min_f64(exact, MOST_EXACT)),
                    ANSWER_NS("tick", tick),
                    ANSWER_NS(clock->busy_ticks > 0 ? "busy" : NULL,
                              (double)clock->busy_ticks * (double)tick));
    }
}

bool answer_has_records(const struct answer_facts *facts, const struct answer_sums *sums)
{
    return sums->losses.read.words + sums->losses.unseen_words > 0 || !facts->sampling.is_known;
}

void answer_find_trust(struct answer_findings *findings, const struct answer_facts *facts)
{
    struct search s = {facts, answer_sum(&facts->threads), findings};
    bool has_records = answer_has_records(facts, &s.sums);

    answer_find_samples(findings, &facts->sampling);
    if (has_records) {
        find_coverage(&s);
    }
    find_weaving(&s);
    find_threads(&s);
    find_mutes(&s);
    find_losses(&s);
    find_counted(&s);
    find_waiting(&s);
    find_idle(&s);
    if (has_records) {
        find_clock(&s);
        answer_find_overhead(findings, &facts->clock, &facts->threads);
    }
    for (size_t i = 0; i < facts->recording.note_count; i++) {
        answer_add_finding(findings, &facts->recording.notes[i], false);
    }
    if (!facts->recording.is_closed) {
        answer_find_plain(findings, ANSWER_KIND_NOT_CLOSED);
    }
}

/* ---- In one line ---- */

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
