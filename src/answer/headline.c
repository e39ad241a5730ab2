/* The answer in a sentence or two: which thread was busy or waited, and with what. */

#include "answer/headline.h"

#include "answer/marks.h"
#include "answer/words.h"

#include <inttypes.h>

#define LITTLE 20                  /* a twentieth of the time in calls is not worth a word */
#define NAMELESS "virtual threads" /* what LanePool.java calls those that have no name */

/* Enough of the time in calls to be worth a word. */
static bool is_much(const struct answer_pool *pool, int64_t part_ns)
{
    return part_ns > pool->busy_ns / LITTLE;
}

/* ", of which up to 98 % rests on inferred ends", where that is most of it. */
static void put_doubt(const struct trace_node *node, struct mb_buf *out)
{
    if (node->inferred > node->total / 2) {
        mb_buf_printf(out, ", of which up to %" PRIu32 " %% rests on inferred ends",
                      answer_inferred_percent(node->inferred, node->total));
    }
}

/* "; 62 % of it below FOTreeBuilder.startElement", or "in" what does it itself. */
static void put_core(const struct answer_methods *methods, const struct answer_path *path,
                     bool is_of_all, size_t room, struct mb_buf *out)
{
    const struct trace_node *core = answer_path_core(path);

    if (core == NULL) {
        mb_buf_put_string(out, ", spread over many calls");
        return;
    }
    mb_buf_put_string(out, is_of_all ? "; " : "; of the time in calls ");
    answer_put_whole_percent(out, core->total, path->total);
    mb_buf_printf(out, " %%%s %s ", is_of_all ? " of it" : "",
                  core->own >= core->total / 2 ? "in" : "below");
    answer_put_method(out, &methods->names, core->id, room);
    put_doubt(core, out);
}

/* "virtual threads worker-*, up to 4 at a time,": how many there were in all nobody has counted. */
static void put_who_virtual(const struct answer_pool *pool, struct mb_buf *out)
{
    const struct mb_text nameless = mb_text_of(NAMELESS);

    if (!mb_text_equal(pool->first->name, nameless)) {
        mb_buf_put_string(out, NAMELESS " ");
    }
    answer_put_pool(out, pool);
    mb_buf_put_string(out, ", up to ");
    answer_put_count(out, pool->thread_count, 0);
    mb_buf_put_string(out, " at a time,");
}

/* "the 4 threads http-exec-*", or the name of the only one. */
static void put_who(const struct answer_pool *pool, struct mb_buf *out)
{
    if (pool->first->is_virtual) {
        put_who_virtual(pool, out);
        return;
    }
    if (pool->thread_count > 1) {
        mb_buf_put_string(out, "the ");
        answer_put_count(out, pool->thread_count, 0);
        mb_buf_put_string(out, " threads ");
    }
    answer_put_pool(out, pool);
}

/* " 5.00 s of 5.60 s"; of several threads the sum may be more. */
static void put_share(const struct answer_pool *pool, int64_t part_ns, struct mb_buf *out)
{
    int64_t span_ns = answer_pool_span(pool);

    mb_buf_put_u1(out, ' ');
    answer_put_time(out, part_ns, 0);
    if (span_ns > 0) {
        mb_buf_put_string(out, pool->thread_count > 1 ? " within " : " of ");
        answer_put_time(out, span_ns, 0);
    }
}

/* What a pool did in its calls, and for how long, at least. */
struct part {
    const char *doing;
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

    parts[WORKED] =
        (struct part){"busy", is_whole(pool) ? answer_most_worked_ns(pool) : pool->worked_ns};
    parts[WAITED] = (struct part){waits ? "waiting" : "without a processor", pool->waited_ns};
    parts[READY] = (struct part){"ready without a processor", pool->ready_ns};
}

/* The part that has more than half of the time in calls; PARTS if none is known to. */
static size_t find_most(const struct answer_pool *pool, const struct part parts[PARTS])
{
    size_t most = 0;

    while (most < PARTS && parts[most].ns <= pool->busy_ns / 2) {
        most++;
    }
    return most;
}

/* ", 1.19 s waiting and 0.2 s busy", of what is worth a word and not told yet. */
static void put_others(const struct answer_pool *pool, const struct part parts[PARTS], size_t told,
                       struct mb_buf *out)
{
    const char *before = told < PARTS || is_whole(pool) ? ", " : ", at least ";

    for (size_t i = 0; i < PARTS; i++) {
        if (i != told && is_much(pool, parts[i].ns)) {
            mb_buf_put_string(out, before);
            answer_put_time(out, parts[i].ns, 0);
            mb_buf_printf(out, " %s", parts[i].doing);
            before = " and ";
        }
    }
}

/* "main was busy 5.0 s of 5.6 s", "main was waiting at least 8.1 s of 8.6 s, 0.5 s busy"; if no
 * part is known to be most of it, "main was in calls 2.5 s of 5.6 s". True if that is all time in
 * calls. */
static bool put_time_of(const struct answer_pool *pool, struct mb_buf *out)
{
    const char *were = pool->thread_count > 1 ? " were together " : " was ";
    struct part parts[PARTS];

    put_who(pool, out);
    find_parts(pool, parts);
    size_t most = pool->first->is_virtual ? PARTS : find_most(pool, parts);
    mb_buf_printf(out, "%s%s", pool->first->is_virtual ? " were together " : were,
                  most < PARTS ? parts[most].doing : "in calls");
    mb_buf_put_string(out, most < PARTS && !is_whole(pool) ? " at least" : "");
    put_share(pool, most < PARTS ? parts[most].ns : pool->busy_ns, out);
    if (!pool->first->is_virtual) {
        put_others(pool, parts, most, out);
    }
    return most == PARTS || !is_much(pool, trace_subtract(pool->busy_ns, parts[most].ns));
}

static void put_busy(const struct answer_methods *methods, const struct answer_path *path,
                     size_t room, struct mb_buf *out)
{
    bool is_of_all = put_time_of(path->pool, out);

    put_core(methods, path, is_of_all, room, out);
    mb_buf_put_u1(out, '.');
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
static void put_waiting_main(const struct answer_methods *methods, const struct mb_buf *pools,
                             const struct answer_path *path, size_t room, struct mb_buf *out)
{
    const struct answer_pool *rows = (const void *)pools->bytes;
    const struct answer_pool *main = NULL;

    for (size_t i = 0; i < pools->size / sizeof(*rows); i++) {
        main = rows[i].first->is_main ? &rows[i] : main;
    }
    if (main == NULL || main == path->pool || !answer_pool_waits(main)) {
        return;
    }
    const struct trace_node *wait = longest_wait(main->first);
    mb_buf_put_u1(out, ' ');
    (void)put_time_of(main, out);
    if (wait != NULL) {
        mb_buf_put_string(out, "; it waited most in ");
        answer_put_method(out, &methods->names, wait->id, room);
        put_doubt(wait, out);
    }
    mb_buf_put_u1(out, '.');
}

/* "3 of 512 messages took 700 ms or more"; of a lapped ring these are the last ones. */
static void put_slow_messages(const struct answer_messages *messages, struct mb_buf *out)
{
    bool is_part = messages->count > messages->root_count;

    mb_buf_put_string(out, is_part ? "; of the last " : "");
    answer_put_count(out, is_part ? messages->root_count : messages->slow_count, 0);
    if (is_part) {
        mb_buf_put_string(out, ", ");
        answer_put_count(out, messages->slow_count, 0);
    } else {
        mb_buf_put_string(out, " of ");
        answer_put_count(out, messages->root_count, 0);
        mb_buf_put_string(out, " messages");
    }
    mb_buf_put_string(out, " took ");
    answer_put_time(out, messages->threshold_ns, 0);
    mb_buf_put_string(out, " or more");
}

static void put_messages(const struct answer_facts *facts, struct mb_buf *out)
{
    bool is_longer = facts->messages.longest_ns > facts->messages.longest_root_ns;
    int64_t longest_ns = is_longer ? facts->messages.longest_ns : facts->messages.longest_root_ns;

    if (!facts->recording.has_messages) {
        return;
    }
    if (facts->messages.count > facts->messages.root_count) {
        mb_buf_put_string(out, "the longest of ");
        answer_put_count(out, facts->messages.count, 0);
        mb_buf_put_string(out, " messages took ");
        answer_put_time(out, longest_ns, 0);
        put_slow_messages(&facts->messages, out);
    } else {
        put_slow_messages(&facts->messages, out);
        mb_buf_put_string(out, "; the longest ");
        answer_put_time(out, longest_ns, 0);
    }
    mb_buf_put_string(out, ". ");
}

const struct answer_pool *answer_first_pool(const struct answer_recording *recording,
                                            const struct mb_buf *pools)
{
    const struct answer_pool *rows = (const void *)pools->bytes;

    for (size_t i = 0; recording->has_messages && i < pools->size / sizeof(*rows); i++) {
        if (rows[i].first->is_main && rows[i].calls > 0) {
            return &rows[i];
        }
    }
    return rows;
}

/* Where most of the program has no probes, whatever follows is about the rest. */
static void put_unwoven(const struct answer_weaving *weaving, struct mb_buf *out)
{
    uint64_t unwoven = answer_unwoven_classes(weaving);
    uint64_t woven = weaving->counts[ABI_WEAVING_CLASSES];

    if (unwoven > woven) {
        answer_put_count(out, unwoven, 0);
        mb_buf_put_string(out, " of ");
        answer_put_count(out, unwoven + woven, 0);
        mb_buf_put_string(out, " classes have no probes: most of the program is not here. ");
    }
}

void answer_put_headline(const struct answer_facts *facts, const struct mb_buf *pools,
                         const struct answer_path *path, size_t room, struct mb_buf *out)
{
    put_unwoven(&facts->recording.weaving, out);
    put_messages(facts, out);
    if (path->pool != NULL && path->pool->idle_ns > 0 && path->pool->busy_ns == 0) {
        mb_buf_put_string(out, "There were only idle loops, which wait.");
    } else if (path->pool != NULL && (path->pool->calls > 0 || path->pool->samples > 0)) {
        put_busy(&facts->methods, path, room, out);
        put_waiting_main(&facts->methods, pools, path, room, out);
    } else {
        mb_buf_put_string(out, "No call is in this trace.");
    }
}
