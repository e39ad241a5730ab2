/* The answer in a sentence or two: which thread was busy or waited, and with what. */

#include "answer/headline.h"

#include "answer/marks.h"
#include "answer/requests.h"
#include "answer/words.h"

#define LITTLE 20                  /* a twentieth of the time in calls is not worth a word */
#define NAMELESS "virtual threads" /* what LanePool.java calls those that have no name */

/* Enough of the time in calls to be worth a word. */
static bool is_much(const struct answer_pool *pool, int64_t part_ns)
{
    return part_ns > pool->busy_ns / LITTLE;
}

/* What a pool did in its calls, and for how long, at least. */
struct part {
    enum answer_kind doing;
    int64_t ns;
};

enum { WORKED, WAITED, READY, PARTS };

/* Nothing to speak of is unknown. What is left over is work then. */
static bool is_whole(const struct answer_pool *pool)
{
    return !is_much(pool, trace_subtract(answer_most_worked_ns(pool), pool->worked_ns));
}

static void find_parts(const struct answer_pool *pool, struct part parts[PARTS])
{
    bool waits = answer_knows_waiting(pool);

    parts[WORKED] = (struct part){ANSWER_KIND_BUSY,
                                  is_whole(pool) ? answer_most_worked_ns(pool) : pool->worked_ns};
    parts[WAITED] =
        (struct part){waits ? ANSWER_KIND_WAITING : ANSWER_KIND_WITHOUT_PROCESSOR, pool->waited_ns};
    parts[READY] = (struct part){ANSWER_KIND_READY, pool->ready_ns};
}

/* The part that has more than half of the time in calls; PARTS if none is known to. */
static size_t find_most(const struct answer_pool *pool, const struct part parts[PARTS])
{
    size_t most = 0;

    while (most < PARTS && parts[most].ns <= pool->busy_ns / 2) {
        most++;
    }
    return pool->first->is_virtual ? PARTS : most;
}

/* Of what rests on inferred ends, where that is most of it. */
static struct answer_value find_doubt(const struct trace_node *node)
{
    bool is_most = node->inferred > node->total / 2;

    return ANSWER_WHOLE_PERCENT(is_most ? "doubt" : NULL,
                                answer_inferred_percent(node->inferred, node->total));
}

/* "main was busy for 5.0 s of 5.6 s (1.19 s waiting)"; if no part is known to be most of it, "main
 * was in recorded methods for 2.5 s of 5.6 s", which virtual threads always are: how many there
 * were in all is not counted. Then what comes last of the values. */
static void find_state(struct answer_findings *findings, const struct answer_pool *pool,
                       const struct answer_value last[4], bool is_beside)
{
    int64_t span_ns = answer_pool_span(pool);
    bool is_virtual = pool->first->is_virtual;
    struct part parts[PARTS];

    find_parts(pool, parts);
    size_t most = find_most(pool, parts);
    bool is_known = most < PARTS;
    int64_t part_ns = is_known ? parts[most].ns : pool->busy_ns;
    bool is_all = !is_known || !is_much(pool, trace_subtract(pool->busy_ns, part_ns));
    const struct answer_finding finding = {
        .kind = is_beside    ? ANSWER_KIND_MAIN_WAITS
                : is_virtual ? ANSWER_KIND_VIRTUAL_POOL
                : is_known   ? ANSWER_KIND_POOL
                             : ANSWER_KIND_POOL_IN_CALLS,
        .values = {answer_pool_value(pool), ANSWER_COUNT("threads", pool->thread_count),
                   ANSWER_FLAG("named", !mb_text_equal(pool->first->name, MB_TEXT(NAMELESS))),
                   ANSWER_WORD(is_known ? "state" : NULL, is_known ? parts[most].doing : 0),
                   ANSWER_FLAG("whole", is_whole(pool)), ANSWER_NS("time", part_ns),
                   ANSWER_NS(span_ns > 0 ? "span" : NULL, span_ns), ANSWER_FLAG("all", is_all),
                   last[0], last[1], last[2], last[3]},
    };
    answer_add_finding(findings, &finding, false);
    for (size_t i = 0; i < PARTS && !is_virtual; i++) {
        if (i != most && is_much(pool, parts[i].ns)) {
            ANSWER_FIND_PART(findings, BESIDES, ANSWER_NS("time", parts[i].ns),
                             ANSWER_WORD("state", parts[i].doing));
        }
    }
}

/* With the call below which most of it is, or in which, if it has most of that itself. */
static void find_busy(struct answer_findings *findings, const struct answer_path *path)
{
    const struct trace_node *core = answer_path_core(path);
    const struct answer_value nothing[4] = {{0}};

    if (core == NULL) {
        find_state(findings, path->pool, nothing, false);
        return;
    }
    double share = path->total > 0 ? (double)core->total * 100 / (double)path->total : 0;
    const struct answer_value values[] = {ANSWER_WHOLE_PERCENT("share", share),
                                          ANSWER_FLAG("own", core->own >= core->total / 2),
                                          ANSWER_METHOD("core", core->id), find_doubt(core)};
    find_state(findings, path->pool, values, false);
}

/* Where others take the processor, time does not tell which call keeps it busy, but samples do, of
 * threads that they met running before and after most of their CPU time. They do not meet short
 * work between waits. */
static void find_hottest(struct answer_findings *findings, const struct answer_path *path)
{
    const struct answer_pool *pool = path->pool;
    const struct trace_node *core = answer_path_core(path);
    const struct trace_node *most = NULL;
    int64_t worked = 0;

    for (size_t i = 0; i < path->node_count; i++) {
        const struct trace_node *node = &path->nodes[i];
        worked = trace_add(worked, node->is_idle ? 0 : node->worked);
        bool is_more = !node->is_idle && node->worked > (most != NULL ? most->worked : 0);
        most = is_more ? node : most;
    }
    bool is_news = pool->met_ns > 0 && most != NULL && (core == NULL || core->id != most->id);
    if (is_news && pool->ready_ns > pool->busy_ns / 4 && most->worked > worked / 8) {
        ANSWER_FIND(findings, HOTTEST, ANSWER_COUNT("threads", pool->thread_count),
                    ANSWER_WHOLE_PERCENT("share", (double)most->worked * 100 / (double)worked),
                    ANSWER_METHOD("method", most->id));
    }
}

/* The call in which the thread waited most; NULL if nothing is known of that. */
static const struct trace_node *longest_wait(const struct answer_thread *thread)
{
    const struct trace_node *most = NULL;

    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        if (!node->is_idle && node->waited > (most != NULL ? most->waited : 0)) {
            most = node;
        }
    }
    return most;
}

/* Where another pool has the answer, people still ask what main did meanwhile. */
static void find_waiting_main(struct answer_findings *findings, const union answer_pools *pools,
                              const struct answer_pool *told)
{
    const struct answer_pool *rows = pools->items;
    const struct answer_pool *main = NULL;

    for (size_t i = 0; i < MB_VEC_COUNT(pools); i++) {
        main = rows[i].first->is_main ? &rows[i] : main;
    }
    if (main == NULL || main == told || !answer_pool_waits(main)) {
        return;
    }
    const struct trace_node *wait = longest_wait(main->first);
    const struct answer_value values[4] = {
        ANSWER_METHOD(wait != NULL ? "wait" : NULL, wait != NULL ? wait->id : 0),
        wait != NULL ? find_doubt(wait) : (struct answer_value){0}};
    find_state(findings, main, values, true);
}

/* Of a lapped ring the slow ones are among the last ones. */
static void find_messages(struct answer_findings *findings, const struct answer_messages *messages)
{
    bool is_longer = messages->longest_ns > messages->longest_root_ns;
    int64_t longest_ns = is_longer ? messages->longest_ns : messages->longest_root_ns;

    if (messages->count > messages->root_count) {
        ANSWER_FIND(findings, LAST_MESSAGES, ANSWER_COUNT("messages", messages->count),
                    ANSWER_NS("longest", longest_ns), ANSWER_COUNT("last", messages->root_count),
                    ANSWER_COUNT("slow", messages->slow_count),
                    ANSWER_NS("limit", messages->threshold_ns));
    } else {
        ANSWER_FIND(findings, MESSAGES, ANSWER_COUNT("slow", messages->slow_count),
                    ANSWER_COUNT("messages", messages->root_count),
                    ANSWER_NS("limit", messages->threshold_ns), ANSWER_NS("longest", longest_ns));
    }
}

static const struct answer_pool *first_pool(const struct answer_recording *recording,
                                            const union answer_pools *pools)
{
    const struct answer_pool *rows = pools->items;

    for (size_t i = 0; recording->has_messages && i < MB_VEC_COUNT(pools); i++) {
        if (rows[i].first->is_main && rows[i].calls > 0) {
            return &rows[i];
        }
    }
    return rows;
}

void answer_lead_find(struct answer_lead *lead, const struct answer_recording *recording,
                      const struct answer_clock *clock, const struct answer_threads *threads)
{
    answer_pools_collect(&lead->pools, clock, threads);
    if (lead->pools.buf.size > 0 && !lead->pools.buf.failed) {
        answer_path_find(&lead->path, clock, threads, first_pool(recording, &lead->pools));
    }
    mb_buf_fail_with(&lead->pools.buf, &lead->path.steps.buf);
}

void answer_lead_finish(struct answer_lead *lead)
{
    answer_path_finish(&lead->path);
    mb_buf_finish(&lead->pools.buf);
}

/* Where most of the program has no probes, whatever follows is about the rest. */
static void find_unwoven(struct answer_findings *findings, const struct answer_weaving *weaving)
{
    uint64_t unwoven = answer_unwoven_classes(weaving);
    uint64_t woven = weaving->counts[ABI_WEAVING_CLASSES];

    if (unwoven > woven) {
        ANSWER_FIND(findings, MOST_UNWOVEN, ANSWER_COUNT("unwoven", unwoven),
                    ANSWER_COUNT("classes", unwoven + woven));
    }
}

/* The kind whose slow ones took most time more than the others. */
static const struct answer_request *find_slow_kind(const struct answer_requests *requests)
{
    const struct answer_request *found = NULL;
    double most_ns = 0;

    for (size_t i = 0; i < requests->count; i++) {
        const struct answer_request *kind = &requests->rows[i];
        double more_ns = (double)kind->slower_ns * (double)kind->slow_count;
        bool is_more = answer_has_slow(kind) && more_ns > most_ns;
        found = is_more ? kind : found;
        most_ns = is_more ? more_ns : most_ns;
    }
    return found;
}

static void find_slow(struct answer_findings *findings, const struct answer_requests *requests)
{
    const struct answer_request *kind = find_slow_kind(requests);

    if (kind == NULL) {
        return;
    }
    const struct answer_excess *cause = &kind->excesses[0];
    bool has_cause = cause->state != ANSWER_STATE_MIXED;
    ANSWER_FIND(findings, SLOW_KIND, ANSWER_COUNT("slow", kind->slow_count),
                ANSWER_COUNT("count", kind->known_calls), ANSWER_METHOD("kind", kind->id),
                ANSWER_NS("more", kind->slower_ns),
                ANSWER_COUNT(has_cause ? "most" : NULL, cause->count),
                ANSWER_CAUSE(cause, has_cause));
}

void answer_find_headline(struct answer_findings *findings, const struct answer_facts *facts,
                          const struct answer_lead *lead)
{
    const struct answer_pool *pool = lead->path.pool;

    find_unwoven(findings, &facts->recording.weaving);
    if (facts->recording.has_messages) {
        find_messages(findings, &facts->messages);
    }
    if (pool != NULL && pool->idle_ns > 0 && pool->busy_ns == 0) {
        ANSWER_FIND(findings, ONLY_IDLE, ANSWER_NS("idle", pool->idle_ns));
    } else if (pool != NULL && (pool->calls > 0 || pool->samples > 0)) {
        bool waits = answer_pool_waits(pool); /* as loops of the background do, too */
        if (waits) {
            find_slow(findings, &facts->requests);
        }
        find_busy(findings, &lead->path);
        find_hottest(findings, &lead->path);
        if (!waits) {
            find_slow(findings, &facts->requests);
        }
        find_waiting_main(findings, &lead->pools, pool);
    } else {
        answer_find_plain(findings, ANSWER_KIND_NO_CALLS);
    }
}
