/* How far to trust a report: what it does not show, how much that is, and which setting cures
 * it. */

#include "answer/trust.h"

#include "answer/cost.h"
#include "answer/marks.h"
#include "answer/pools.h"
#include "answer/words.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_THREADS 4 /* whose coverage is told apart */

/* One paragraph at a time. */
struct telling {
    const struct answer_facts *facts;
    struct answer_sums sums;
    const struct answer_items *items;
    struct mb_buf text;
};

static void end_item(struct telling *t, const char *label)
{
    t->items->put(t->items->context, label, &t->text);
    mb_buf_reset(&t->text);
}

/* "3 calls without exit", unless there is none. */
static void tell_count(struct telling *t, const char *label, uint64_t count, const char *noun,
                       const char *what)
{
    if (count > 0) {
        answer_put_count(&t->text, count, 0);
        mb_buf_printf(&t->text, " %s%s %s", noun, count == 1 ? "" : "s", what);
        end_item(t, label);
    }
}

/* ---- Coverage ---- */

static int64_t held_ns(const struct answer_thread *thread)
{
    return thread->time.ring_end_ns > thread->time.ring_start_ns
               ? (int64_t)(thread->time.ring_end_ns - thread->time.ring_start_ns)
               : 0;
}

static void tell_ring(struct telling *t, const struct answer_thread *thread)
{
    mb_buf_put_string(&t->text, "the ring of ");
    mb_buf_put_printable(&t->text, thread->name);
    mb_buf_put_string(&t->text, " holds the last ");
    answer_put_time(&t->text, held_ns(thread), 0);
    mb_buf_put_string(&t->text, " of ");
    answer_put_time(&t->text, (int64_t)thread->time.end_ns, 0);
    mb_buf_put_string(&t->text, ": ");
    answer_put_count(&t->text, thread->lapped_words, 0);
    mb_buf_printf(&t->text, " older %s overwritten (%s keeps more)",
                  thread->lapped_words == 1 ? "record is" : "records are",
                  thread->is_main ? "main_words" : "thread_words");
    end_item(t, "coverage");
}

static void tell_rings(struct telling *t)
{
    size_t lapped = 0;

    for (size_t i = 0; i < t->facts->threads.count; i++) {
        const struct answer_thread *thread = &t->facts->threads.rows[i];
        if (thread->lapped_words > 0 && !thread->is_profiled && lapped++ < MAX_THREADS) {
            tell_ring(t, thread);
        }
    }
    if (lapped > MAX_THREADS) {
        tell_count(t, "", lapped - MAX_THREADS, "ring",
                   "more with overwritten records (--threads)");
    }
    if (lapped == 0 && !t->facts->recording.has_profile) {
        mb_buf_put_string(&t->text, "all that was recorded: ");
        answer_put_count(&t->text, t->sums.calls, 0);
        mb_buf_put_string(&t->text, t->sums.calls == 1 ? " call in " : " calls in ");
        answer_put_time(&t->text, (int64_t)(t->sums.end_ns - t->sums.start_ns), 0);
        end_item(t, "coverage");
    }
}

/* Of a profile: what it has, then what only rings tell. */
static void tell_profile(struct telling *t)
{
    const struct answer_thread *shortest = NULL;

    for (size_t i = 0; i < t->facts->threads.count; i++) {
        const struct answer_thread *thread = &t->facts->threads.rows[i];
        bool is_lapped = thread->is_profiled && thread->lapped_words > 0;
        if (is_lapped && (shortest == NULL || held_ns(thread) < held_ns(shortest))) {
            shortest = thread;
        }
    }
    bool is_whole = t->sums.unseen_words == 0 && t->facts->recording.absorbed_calls == 0;
    mb_buf_put_string(&t->text, is_whole ? "the profile covers all of it: "
                                         : "the profile covers the whole run: ");
    answer_put_count(&t->text, t->sums.calls, 0);
    mb_buf_put_string(&t->text, t->sums.calls == 1 ? " call in " : " calls in ");
    answer_put_time(&t->text, (int64_t)(t->sums.end_ns - t->sums.start_ns), 0);
    if (shortest != NULL) {
        mb_buf_put_string(&t->text, "; the ring of ");
        mb_buf_put_printable(&t->text, shortest->name);
        mb_buf_put_string(&t->text, " holds the last ");
        answer_put_time(&t->text, held_ns(shortest), 0);
        mb_buf_printf(&t->text, ", for slow calls and records (%s keeps more)",
                      shortest->is_main ? "main_words" : "thread_words");
    }
    end_item(t, "coverage");
}

/* Without a node: in no method's calls, and their time is their callers' own. */
static void tell_absorbed(struct telling *t)
{
    uint64_t absorbed = t->facts->recording.absorbed_calls;
    uint64_t all = t->sums.calls + absorbed;

    if (absorbed > 0) {
        answer_put_count(&t->text, absorbed, 0);
        mb_buf_put_string(&t->text, absorbed == 1 ? " call (" : " calls (");
        answer_put_percent(&t->text, (int64_t)(absorbed & INT64_MAX), (int64_t)(all & INT64_MAX),
                           0);
        mb_buf_put_string(&t->text,
                          " %) came when the profile was full of other chains of callers: "
                          "they are not counted, and their time is their callers' own "
                          "(profile_nodes gives more room)");
        end_item(t, "no room");
    }
}

/* Written faster than they were read, or not read when the process died. */
static void tell_unseen(struct telling *t)
{
    uint64_t all = t->sums.words + t->sums.unseen_words;

    if (t->sums.unseen_words > 0) {
        answer_put_count(&t->text, t->sums.unseen_words, 0);
        mb_buf_put_string(&t->text, " of ");
        answer_put_count(&t->text, all, 0);
        mb_buf_put_string(&t->text, " records (");
        answer_put_percent(&t->text, (int64_t)(t->sums.unseen_words & INT64_MAX),
                           (int64_t)(all & INT64_MAX), 0);
        mb_buf_put_string(&t->text, " %) came faster than the profile could take them; calls and "
                                    "times in them are missing (main_words, thread_words give "
                                    "more room, the throttle less to do)");
        end_item(t, "not seen");
    }
    tell_absorbed(t);
}

static void tell_coverage(struct telling *t)
{
    if (t->facts->recording.has_profile) {
        tell_profile(t);
        tell_unseen(t);
    }
    tell_rings(t);
}

/* Of a method that was muted before there was this recording nothing is known. */
static void tell_mutes_before(struct telling *t, size_t count)
{
    if (count > 0) {
        mb_buf_printf(&t->text,
                      "%zu method%s muted since before this recording: their calls are not here, "
                      "their time is their callers', and which those are is not known (--muted "
                      "lists them, a new process records them)",
                      count, count == 1 ? "" : "s");
        end_item(t, "muted");
    }
}

static void tell_mutes_by_budget(struct telling *t, size_t count)
{
    if (count > 0) {
        mb_buf_printf(
            &t->text,
            "%zu method%s muted so that all probes together keep within the budget, those "
            "that told least for what their probes cost first, marked ~ (--muted lists "
            "them, budget=PERCENT chooses how much recording may take)",
            count, count == 1 ? "" : "s");
        end_item(t, "muted");
    }
}

static void tell_mutes(struct telling *t)
{
    uint64_t least = UINT64_MAX;
    size_t before = 0;
    size_t by_budget = 0;

    for (size_t i = 0; i < t->facts->methods.mute_count; i++) {
        const struct answer_mute *mute = &t->facts->methods.mutes[i];
        bool is_cheap = !mute->was_before && !mute->is_budget;
        before += mute->was_before;
        by_budget += mute->is_budget;
        least = is_cheap && mute->calls < least ? mute->calls : least;
    }
    size_t count = t->facts->methods.mute_count - before - by_budget;
    tell_mutes_before(t, before);
    tell_mutes_by_budget(t, by_budget);
    if (count > 0) {
        mb_buf_printf(&t->text, "%zu method%s muted by the throttle after ", count,
                      count == 1 ? "" : "s");
        answer_put_count(&t->text, least, 0);
        mb_buf_put_string(&t->text, " calls or more each, marked ~: from then on their time is "
                                    "their callers', marked ^ where it is much (--muted lists "
                                    "them, throttle=off records them)");
        end_item(t, "muted");
    }
}

static void tell_threads(struct telling *t)
{
    tell_count(t, "threads", t->facts->recording.refused_words, "record",
               "of threads that got no ring (max_threads, max_bytes)");
    tell_count(t, "threads", t->facts->recording.recycled_words, "record",
               "of ended threads whose ring another got (max_threads)");
    if (t->facts->threads.count == 1 && t->facts->threads.rows[0].is_main &&
        t->facts->recording.refused_words == 0 && t->facts->recording.ring_count <= 1) {
        mb_buf_put_string(&t->text, "only the main thread is here: what it waits for is not "
                                    "(threads=all records the others)");
        end_item(t, "threads");
    }
}

/* ---- Probes that came while the program ran ---- */

static void tell_unwoven(struct telling *t)
{
    static const struct {
        enum abi_weaving what;
        const char *words;
    } reasons[] = {
        {ABI_WEAVING_DAMAGED, "cannot be read"},
        {ABI_WEAVING_MEMORY, "came when memory ran out"},
        {ABI_WEAVING_REFUSED, "cannot be changed, says the JVM"},
        {ABI_WEAVING_CROWDED, "came when 10,000 loaders had brought classes of their package"},
        {ABI_WEAVING_IDS, "came when all method ids were given out"},
        {ABI_WEAVING_BOOT, "are of -Xbootclasspath/a"},
    };
    const struct answer_weaving *weaving = &t->facts->recording.weaving;
    uint64_t unwoven = answer_unwoven_classes(weaving);
    const char *before = " classes have no probes, and their time is their callers': ";

    if (unwoven == 0) {
        return;
    }
    answer_put_count(&t->text, unwoven, 0);
    mb_buf_put_string(&t->text, " of ");
    answer_put_count(&t->text, unwoven + weaving->counts[ABI_WEAVING_CLASSES], 0);
    for (size_t i = 0; i < MB_COUNT(reasons); i++) {
        if (weaving->counts[reasons[i].what] > 0) {
            mb_buf_put_string(&t->text, before);
            answer_put_count(&t->text, weaving->counts[reasons[i].what], 0);
            mb_buf_printf(&t->text, " %s", reasons[i].words);
            before = ", ";
        }
    }
    end_item(t, "probes");
}

static void tell_weaving(struct telling *t)
{
    const uint64_t *counts = t->facts->recording.weaving.counts;

    tell_unwoven(t);
    tell_count(t, "probes", counts[ABI_WEAVING_METHODS], "method",
               "without probes, since the code would be too large with them");
    if (counts[ABI_WEAVING_THREADS] > 0) {
        answer_put_count(&t->text, counts[ABI_WEAVING_THREADS], 0);
        mb_buf_put_string(&t->text,
                          counts[ABI_WEAVING_THREADS] == 1 ? " thread was" : " threads were");
        mb_buf_put_string(&t->text, " inside ");
        tell_count(t, "probes", counts[ABI_WEAVING_INSIDE], "call",
                   "when probes came: what was entered before is not here, what it calls since "
                   "then is");
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

/* The methods that it is worth to look at, and what records the ends of their calls. */
static void put_most_inferred(struct telling *t)
{
    const struct trace_method *row = find_most_inferred(&t->facts->methods, NULL);

    if (row == NULL) {
        return;
    }
    mb_buf_put_string(&t->text, "; in a row marked ?n% up to so much of its total may be too much, "
                                "most in ");
    for (size_t i = 0; row != NULL && i < MOST_INFERRED; i++) {
        mb_buf_put_string(&t->text, i > 0 ? ", " : "");
        answer_put_method(&t->text, &t->facts->methods.names, row->id, t->items->room);
        mb_buf_put_string(&t->text, " (");
        answer_put_time(&t->text, answer_ns(&t->facts->clock, row->inferred), 0);
        mb_buf_put_string(&t->text, ")");
        row = find_most_inferred(&t->facts->methods, row);
    }
    mb_buf_put_string(&t->text, " (instrument with --exceptions=finally, or what calls them too)");
}

static void tell_inferred(struct telling *t)
{
    uint64_t count = t->sums.inferred_exits;

    if (count == 0) {
        return;
    }
    answer_put_count(&t->text, count, 0);
    mb_buf_printf(&t->text,
                  " call%s without exit: left by an exception that code without probes caught, and "
                  "shown until the next exit around %s",
                  count == 1 ? "" : "s", count == 1 ? "it" : "them");
    put_most_inferred(t);
    end_item(t, "inferred");
}

/* ---- Losses ---- */

static void tell_losses(struct telling *t)
{
    tell_count(t, "cut off", t->sums.missing_words, "record", "that the file is too short for");
    tell_count(t, "unmatched", t->sums.lost_entries, "exit",
               "without entry: from calls that started before the first record");
    tell_count(t, "unmatched", t->sums.lost_exits, "call",
               "without exit: left out, since nothing tells when they ended");
    tell_inferred(t);
    tell_count(t, "deep", t->sums.deep_calls, "call",
               "of a recursion deeper than the 262,144 open calls that are followed: counted, with "
               "times that end early, in rows marked ?n%");
    tell_count(t, "impossible", t->sums.time_went_back, "call", "with an end before the start");
    tell_count(t, "still open", t->sums.open_calls, "call",
               "at the end, counted until then and marked +");
}

/* Without a word of it where no thread is known to have waited. */
static void tell_waiting(struct telling *t)
{
    bool lacks_ready = false;

    for (size_t i = 0; i < t->facts->threads.count; i++) {
        const struct answer_thread *thread = &t->facts->threads.rows[i];
        lacks_ready = lacks_ready || (thread->time.waited_ns > 0 && !thread->time.knows_ready);
    }
    if (lacks_ready) {
        mb_buf_put_string(&t->text, "the trace does not tell when a thread was ready without a "
                                    "processor: that counts as waiting");
        end_item(t, "waiting");
    }
}

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
static void put_idle_loop(struct telling *t, size_t index)
{
    const struct answer_thread *thread = &t->facts->threads.rows[index];
    const struct trace_node *loop = idle_loop(thread);
    struct answer_pool pool = {.stem = answer_name_stem(thread->name), .first = thread};

    for (size_t i = 0; i < index; i++) {
        if (is_same_loop(&t->facts->threads.rows[i], thread)) {
            return;
        }
    }
    for (size_t i = index; i < t->facts->threads.count; i++) {
        pool.row_count += is_same_loop(thread, &t->facts->threads.rows[i]);
    }
    mb_buf_put_string(&t->text, t->text.size > 0 ? ", " : "");
    answer_put_method(&t->text, &t->facts->methods.names, loop->id, t->items->room);
    mb_buf_put_string(&t->text, " in ");
    answer_put_pool(&t->text, &pool);
    answer_put_members(&t->text, thread, pool.row_count);
}

static void tell_idle(struct telling *t)
{
    int64_t idle_ns = 0;

    for (size_t i = 0; i < t->facts->threads.count; i++) {
        const struct answer_thread *thread = &t->facts->threads.rows[i];
        if (idle_loop(thread) != NULL) {
            put_idle_loop(t, i);
            idle_ns = trace_add(idle_ns, thread->time.idle_ns);
        }
    }
    if (t->text.size > 0) {
        mb_buf_put_string(&t->text, " only wait: their own ");
        answer_put_time(&t->text, idle_ns, 0);
        mb_buf_put_string(&t->text, " are left out of answer, hot path, waits and slow calls");
        end_item(t, "idle loops");
    }
}

static void tell_clock(struct telling *t)
{
    int64_t tick = answer_tick_ns(&t->facts->clock);
    uint64_t below = 0;

    for (size_t i = 0; i < t->facts->methods.count && tick > 0; i++) {
        below += answer_ns(&t->facts->clock, t->facts->methods.rows[i].self) <= tick;
    }
    if (tick > 0) {
        mb_buf_put_string(&t->text, "coarse: a time is right to ");
        answer_put_time(&t->text, tick, 0);
        mb_buf_printf(&t->text,
                      ", and %" PRIu64 " of %zu methods without more own time than that "
                      "are left out (a smaller tick_ms sees more)",
                      below, t->facts->methods.count);
        end_item(t, "clock");
    }
}

static void tell_notes(struct telling *t)
{
    for (size_t i = 0; i < t->facts->recording.note_count; i++) {
        mb_buf_put_printable(&t->text, t->facts->recording.notes[i]);
        end_item(t, "note");
    }
    if (!t->facts->recording.is_closed) {
        mb_buf_put_string(&t->text, "still being recorded, or killed");
        end_item(t, "recording");
    }
}

void answer_tell_trust(const struct answer_facts *facts, const struct answer_items *items)
{
    struct telling t = {.facts = facts, .sums = answer_sum(&facts->threads), .items = items};

    bool has_records = t.sums.words + t.sums.unseen_words > 0 || !facts->sampling.is_known;

    answer_tell_samples(facts, items);
    if (has_records) {
        tell_coverage(&t);
    }
    tell_weaving(&t);
    tell_threads(&t);
    tell_mutes(&t);
    tell_losses(&t);
    tell_waiting(&t);
    tell_idle(&t);
    if (has_records) {
        tell_clock(&t);
        answer_tell_overhead(facts, items);
    }
    tell_notes(&t);
    mb_buf_finish(&t.text);
}
