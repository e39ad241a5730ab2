#include "answer/diff.h"

#include "abi/record.h"
#include "answer/cost.h"
#include "base/number.h"

#include <stdlib.h>

#define LITTLE 500       /* a five hundredth of the run is not worth a row */
#define UNKNOWN_CPU 20   /* nor a twentieth of the time in calls whose CPU time nobody knows */
#define RECKONED 2       /* what recording took is an estimate: the truth may be twice as much */
#define FEWEST_METHODS 8 /* of which the middle one says something */

/* ---- The runs ---- */

/* What a thread may have been without a processor for, though it could run: all that it waited,
 * where that is not known apart. */
static int64_t without_cpu(const struct answer_thread *thread)
{
    return thread->time.knows_ready ? thread->time.ready_ns : thread->time.waited_ns;
}

/* What of that nobody knows the calls of. */
static int64_t find_stolen(const struct answer_clock *clock, const struct answer_thread *thread)
{
    int64_t placed_ns = trace_add(answer_placed_waiting(clock, thread, false),
                                  answer_placed_waiting(clock, thread, true));
    int64_t stolen = thread->time.knows_ready ? thread->time.ready_ns
                                              : trace_subtract(thread->time.waited_ns, placed_ns);

    return thread->time.has_cpu && stolen > 0 ? stolen : 0;
}

static struct answer_run sum_run(const struct answer_facts *facts)
{
    const struct answer_sums sums = answer_sum(&facts->threads);
    struct answer_run run = {
        .wall_ns = (int64_t)((sums.end_ns - sums.start_ns) & INT64_MAX),
        .overhead_ns = answer_overhead_ns(facts),
        .is_whole = sums.lapped_words == 0,
    };
    int64_t unknown = 0;
    int64_t known = 0;

    for (size_t i = 0; i < facts->threads.count; i++) {
        const struct answer_thread *thread = &facts->threads.rows[i];
        int64_t *of = thread->time.has_cpu ? &known : &unknown;
        *of = trace_add(*of, thread->time.busy_ns);
        run.cpu_ns = trace_add(run.cpu_ns, thread->time.has_cpu ? thread->time.cpu_ns : 0);
        run.ready_ns = trace_add(run.ready_ns, without_cpu(thread));
        run.stolen_ns = trace_add(run.stolen_ns, find_stolen(&facts->clock, thread));
    }
    run.busy_ns = trace_add(known, unknown);
    run.has_cpu = known > 0 && unknown <= known / UNKNOWN_CPU;
    return run;
}

static double percent_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part * 100 / (double)whole : 0;
}

/* Threads that share a processor also take more CPU time: the usual noise, and as much again where
 * they had none all the time. */
static double find_usual(const struct answer_run *run)
{
    double share = run->busy_ns > 0 ? (double)run->stolen_ns / (double)run->busy_ns : 0;

    return ANSWER_USUAL_NOISE * (1 + (share < 1 ? share : 1));
}

/* What is left of a change when the usual noise, in percent, and this one are taken away. */
static struct answer_change judge_change(int64_t old, int64_t new, double usual, int64_t noise)
{
    int64_t change = trace_subtract(new, old);
    int64_t share = (int64_t)((double)(old > new ? old : new) / 100 * usual);
    int64_t left = trace_subtract(trace_subtract(answer_size_of(change), share), noise);
    int64_t certain = left <= 0 ? 0 : change > 0 ? left : -left;

    return (struct answer_change){
        .change_ns = change,
        .certain_ns = certain,
        .percent = percent_of(change, old),
        .certain_percent = percent_of(certain, old),
    };
}

static int64_t distance_of(int64_t a, int64_t b)
{
    return answer_size_of(trace_subtract(a, b));
}

void answer_diff_runs(struct answer_diff *diff, const struct answer_facts *old,
                      const struct answer_facts *new)
{
    diff->old = sum_run(old);
    diff->new = sum_run(new);
    diff->recording_ns = distance_of(diff->old.overhead_ns, diff->new.overhead_ns) * RECKONED;
    diff->ready_ns = distance_of(diff->old.ready_ns, diff->new.ready_ns);
    diff->usual = mb_max_f64(find_usual(&diff->old), find_usual(&diff->new));
    if (diff->old.has_cpu && diff->new.has_cpu) {
        diff->cpu =
            judge_change(diff->old.cpu_ns, diff->new.cpu_ns, diff->usual, diff->recording_ns);
    }
    if (diff->old.is_whole && diff->new.is_whole) {
        diff->wall = judge_change(diff->old.wall_ns, diff->new.wall_ns, diff->usual,
                                  trace_add(diff->recording_ns, diff->ready_ns));
    }
}

double answer_diff_slower(const struct answer_diff *diff)
{
    double cpu = diff->cpu.certain_percent;
    double wall = diff->wall.certain_percent;
    double most = cpu > wall ? cpu : wall;

    if (!diff->old.is_whole || !diff->new.is_whole) {
        return -1;
    }
    return most > 0 ? most : 0;
}

/* ---- Methods by name ---- */

/* A method of either trace, to be paired by its name. */
struct side {
    struct mb_text name; /* empty: none is known, and the id stands for it */
    const struct trace_method *method;
    int64_t ns;
    int64_t inferred_ns; /* of that, at most */
    bool is_new;
};

static int compare_names(const struct side *a, const struct side *b)
{
    if (a->name.size == 0 && b->name.size == 0) {
        return (a->method->id > b->method->id) - (a->method->id < b->method->id);
    }
    return mb_text_compare(a->name, b->name);
}

/* By name, the old one first. */
static int by_name(const void *a, const void *b)
{
    const struct side *x = a;
    const struct side *y = b;
    int order = compare_names(x, y);

    return order != 0 ? order : (int)x->is_new - (int)y->is_new;
}

MB_VEC_TYPE(sides, struct side);

static void add_sides(union sides *sides, const struct answer_facts *facts, bool is_new)
{
    for (size_t i = 0; i < facts->methods.count; i++) {
        const struct trace_method *method = &facts->methods.rows[i];
        const struct side side = {
            .name = facts->methods.names.find(facts->methods.names.context, method->id),
            .method = method,
            .ns = answer_ns(&facts->clock, method->self),
            .inferred_ns = answer_ns(&facts->clock, mb_min_i64(method->inferred, method->self)),
            .is_new = is_new,
        };
        MB_VEC_PUSH(sides, side);
    }
}

static void make_pairs(struct answer_diff *diff, const union sides *sorted)
{
    const struct side *sides = sorted->items;
    size_t count = MB_VEC_COUNT(sorted);

    for (size_t i = 0; i < count; i++) {
        struct answer_pair pair = {.rank = i};
        bool has_both = i + 1 < count && !sides[i].is_new && sides[i + 1].is_new &&
                        compare_names(&sides[i], &sides[i + 1]) == 0;
        pair.id = sides[i + has_both].method->id;
        if (!sides[i].is_new) {
            pair.old = sides[i].method;
            pair.old_ns = sides[i].ns;
            pair.inferred_ns = sides[i].inferred_ns;
        }
        i += has_both;
        if (sides[i].is_new) {
            pair.new = sides[i].method;
            pair.new_ns = sides[i].ns;
            bool is_longer = pair.new_ns > pair.old_ns;
            pair.inferred_ns = is_longer ? sides[i].inferred_ns : pair.inferred_ns;
        }
        MB_VEC_PUSH(&diff->pairs, pair);
    }
}

static void pair_methods(struct answer_diff *diff, const struct answer_facts *old,
                         const struct answer_facts *new)
{
    union sides sides = {0};

    add_sides(&sides, old, false);
    add_sides(&sides, new, true);
    MB_VEC_SORT(&sides, by_name);
    make_pairs(diff, &sides);
    mb_buf_finish_part(&diff->pairs.buf, &sides.buf);
}

/* ---- Time that moves when methods are muted ---- */

/* The methods of one of the traces as pairs. */
struct places {
    const struct answer_facts *facts;
    struct answer_pair *pairs;
    struct answer_pair **of; /* [id]; NULL: the trace does not have it */
};

static bool make_places(struct places *places, struct answer_diff *diff,
                        const struct answer_facts *facts, bool is_new)
{
    *places = (struct places){
        .facts = facts,
        .pairs = diff->pairs.items,
        .of = calloc((size_t)ABI_ID_MASK + 1, sizeof(struct answer_pair *)),
    };
    for (size_t i = 0; places->of != NULL && i < MB_VEC_COUNT(&diff->pairs); i++) {
        struct answer_pair *pair = &places->pairs[i];
        const struct trace_method *method = is_new ? pair->new : pair->old;
        if (method != NULL) {
            places->of[method->id & ABI_ID_MASK] = pair;
        }
    }
    return places->of != NULL;
}

static void take_mutes(const struct places *places)
{
    for (size_t i = 0; i < places->facts->methods.mute_count; i++) {
        struct answer_pair *pair = places->of[places->facts->methods.mutes[i].id & ABI_ID_MASK];
        if (pair != NULL) {
            pair->is_muted = true;
        }
    }
}

static bool is_muted_node(const struct places *places, const struct trace_node *node)
{
    const struct answer_pair *pair = places->of[node->id & ABI_ID_MASK];

    return pair != NULL && pair->is_muted;
}

/* Until a method is muted its time is its own, from then on that of its nearest caller that is not:
 * when that was is another time in each run. */
static bool add_held(const struct places *places, const struct answer_thread *thread, int64_t sign)
{
    const struct trace_node *nodes = thread->nodes;
    uint32_t *holders = calloc(thread->node_count + 1, sizeof(*holders)); /* [node], or itself */
    double probe_ns = answer_probe_ns(places->facts) / 2;

    for (uint32_t i = 0; holders != NULL && i < thread->node_count; i++) {
        bool moves = nodes[i].parent != TRACE_NO_NODE && is_muted_node(places, &nodes[i]);
        holders[i] = moves ? holders[nodes[i].parent] : i;
        struct answer_pair *holder = places->of[nodes[holders[i]].id & ABI_ID_MASK];
        if (moves && holder != NULL) {
            int64_t probes = (int64_t)((double)nodes[i].calls * probe_ns);
            int64_t ns = trace_add(answer_ns(&places->facts->clock, nodes[i].own), probes);
            holder->held_ns = trace_add(holder->held_ns, sign * ns);
        }
    }
    free(holders);
    return holders != NULL;
}

static bool add_all_held(const struct places *places, int64_t sign)
{
    bool fits = true;

    for (size_t i = 0; fits && i < places->facts->threads.count; i++) {
        fits = add_held(places, &places->facts->threads.rows[i], sign);
    }
    return fits;
}

static void find_held(struct answer_diff *diff, const struct answer_facts *old,
                      const struct answer_facts *new)
{
    struct places before = {0};
    struct places after = {0};

    if (!make_places(&before, diff, old, false) || !make_places(&after, diff, new, true)) {
        diff->pairs.buf.failed = true;
    } else if (new->methods.mute_count + old->methods.mute_count > 0) {
        take_mutes(&before);
        take_mutes(&after);
        diff->pairs.buf.failed = !add_all_held(&before, -1) || !add_all_held(&after, 1);
    }
    free(before.of);
    free(after.of);
}

/* ---- Noise ---- */

static int64_t larger_ns(const struct answer_pair *pair)
{
    return pair->new_ns > pair->old_ns ? pair->new_ns : pair->old_ns;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;

    return (*x > *y) - (*x < *y);
}

/* What is no news of a method, and what is not of two runs of it. */
static bool is_comparable(const struct answer_pair *pair, int64_t little)
{
    bool has_both = pair->old != NULL && pair->new != NULL;

    return has_both && larger_ns(pair) > little && !pair->is_muted;
}

/* By what share the middle one of the methods changed that are worth a row. */
static double find_middle(struct answer_diff *diff, int64_t little)
{
    const struct answer_pair *pairs = diff->pairs.items;
    MB_VEC(double) shares = {0};
    double middle = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        if (is_comparable(&pairs[i], little)) {
            double share = (double)answer_size_of(answer_pair_change(&pairs[i])) /
                           (double)larger_ns(&pairs[i]);
            MB_VEC_PUSH(&shares, share);
        }
    }
    if (MB_VEC_COUNT(&shares) >= FEWEST_METHODS && !shares.buf.failed) {
        MB_VEC_SORT(&shares, by_value);
        middle = shares.items[MB_VEC_COUNT(&shares) / 2];
    }
    mb_buf_finish_part(&diff->pairs.buf, &shares.buf);
    return middle;
}

/* Of the time of any call: what was not seen, and what its thread had no processor for. */
static double lost_share(const struct answer_threads *threads, const struct answer_run *run,
                         bool has_stolen)
{
    const struct answer_sums sums = answer_sum(threads);

    return (has_stolen ? (double)run->stolen_ns / (double)(run->busy_ns + 1) : 0) +
           (double)sums.unseen_words / (double)(sums.words + sums.unseen_words + 1);
}

static enum answer_noise find_noise(const struct answer_diff *diff, const struct answer_pair *pair,
                                    int64_t little)
{
    int64_t change = answer_size_of(answer_pair_change(pair));
    int64_t held = answer_size_of(pair->held_ns);
    double noise = mb_min_f64(diff->share * (double)larger_ns(pair), diff->run_noise);

    return change <= little                                       ? ANSWER_LITTLE
           : pair->is_muted                                       ? ANSWER_MUTED_TIME
           : (double)change <= noise                              ? ANSWER_NOISE
           : (double)(change - held) <= noise                     ? ANSWER_MUTED_TIME
           : (double)(change - held - pair->inferred_ns) <= noise ? ANSWER_INFERRED_TIME
                                                                  : ANSWER_CERTAIN;
}

/* The own time of the longer run. */
static int64_t sum_own(const struct answer_diff *diff)
{
    const struct answer_pair *pairs = diff->pairs.items;
    int64_t old = 0;
    int64_t new = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        old = trace_add(old, pairs[i].old_ns > 0 ? pairs[i].old_ns : 0);
        new = trace_add(new, pairs[i].new_ns > 0 ? pairs[i].new_ns : 0);
    }
    return old > new ? old : new;
}

/* Methods that did not change tell what time without a processor does to them; where they are few,
 * all of that may be of one. */
static double find_share(const struct answer_diff *diff, const struct answer_facts *old,
                         const struct answer_facts *new)
{
    double share = mb_max_f64(ANSWER_METHOD_NOISE / 100.0, ANSWER_TIMES_MIDDLE * diff->middle);

    share = mb_max_f64(share, lost_share(&old->threads, &diff->old, diff->middle <= 0));
    share = mb_max_f64(share, lost_share(&new->threads, &diff->new, diff->middle <= 0));
    return share < 1 ? share : 1;
}

static void judge_pairs(struct answer_diff *diff, const struct answer_facts *old,
                        const struct answer_facts *new)
{
    struct answer_pair *pairs = diff->pairs.items;
    int64_t own = sum_own(diff);
    int64_t tick = answer_tick_ns(&new->clock);
    int64_t little = own / LITTLE > tick ? own / LITTLE : tick;

    diff->run_noise =
        (double)own * diff->usual / 100 + (double)diff->recording_ns + (double)diff->ready_ns;
    diff->middle = find_middle(diff, little);
    diff->share = find_share(diff, old, new);
    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        pairs[i].noise = find_noise(diff, &pairs[i], little);
        diff->counts[pairs[i].noise] += answer_pair_change(&pairs[i]) != 0;
    }
}

/* What is told first, then the greatest change, whichever its direction; of equal ones, by name. */
static int by_change(const void *a, const void *b)
{
    const struct answer_pair *x = a;
    const struct answer_pair *y = b;
    bool x_told = x->noise == ANSWER_CERTAIN;
    bool y_told = y->noise == ANSWER_CERTAIN;
    int64_t x_size = answer_size_of(answer_pair_change(x));
    int64_t y_size = answer_size_of(answer_pair_change(y));

    return x_told != y_told   ? (int)y_told - (int)x_told
           : x_size != y_size ? (x_size < y_size) - (x_size > y_size)
                              : (x->rank > y->rank) - (x->rank < y->rank);
}

void answer_diff_make(struct answer_diff *diff, const struct answer_facts *old,
                      const struct answer_facts *new)
{
    diff->old_methods = &old->methods;
    diff->new_methods = &new->methods;
    answer_diff_runs(diff, old, new);
    pair_methods(diff, old, new);
    if (!diff->pairs.buf.failed) {
        find_held(diff, old, new);
        judge_pairs(diff, old, new);
    }
    MB_VEC_SORT(&diff->pairs, by_change);
}

void answer_diff_finish(struct answer_diff *diff)
{
    mb_buf_finish(&diff->pairs.buf);
}
