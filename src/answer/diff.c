#include "answer/diff.h"

#include "answer/cost.h"
#include "answer/marks.h"
#include "base/number.h"

#include <math.h>

#define UNKNOWN_CPU 20 /* a twentieth of the time in calls: less CPU time is not known of a run */
#define RECKONED 2 /* overhead is an estimate, ready time a lower bound: this may be the truth */
#define CERTAIN_ERRORS 3
#define COMPILING_NS 100000000 /* of a thread's time, before its code is compiled */
#define BUSY_PART 2 /* threads wait for others without a processor: as long as half of that */
#define EXACT_RECORD_NS 40 /* reading the time for it, in its caller's own time */
#define SLICE_NS 10000000  /* others have the processor about as long in a go */

/* ---- The runs ---- */

static struct answer_run sum_run(const struct answer_clock *clock,
                                 const struct answer_threads *threads)
{
    const struct answer_sums sums = answer_sum(threads);
    struct answer_run run = {
        .wall_ns = (int64_t)((sums.end_ns - sums.start_ns) & INT64_MAX),
        .overhead_ns = answer_overhead_ns(clock, threads),
        .is_whole = sums.losses.lapped_words == 0,
    };
    int64_t unknown = 0;
    int64_t known = 0;

    for (size_t i = 0; i < threads->count; i++) {
        const struct answer_time *time = &threads->rows[i].time;
        int64_t *of = time->has_cpu ? &known : &unknown;
        *of = trace_add(*of, time->busy_ns);
        run.cpu_ns = trace_add(run.cpu_ns, time->has_cpu ? time->cpu_ns : 0);
        run.ready_ns =
            trace_add(run.ready_ns, time->knows_ready ? time->ready_ns : time->waited_ns);
    }
    run.has_cpu = known > 0 && unknown <= known / UNKNOWN_CPU;
    return run;
}

static double percent_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part * 100 / (double)whole : 0;
}

/* What is left of a change beyond the usual share of the run, and beyond this much. */
static struct answer_change judge_change(int64_t old, int64_t new, int64_t noise)
{
    int64_t change = trace_subtract(new, old);
    int64_t share = mb_max_i64(old, new) / 100 * ANSWER_USUAL_NOISE;
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
    diff->old = sum_run(&old->clock, &old->threads);
    diff->new = sum_run(&new->clock, &new->threads);
    diff->recording_ns = distance_of(diff->old.overhead_ns, diff->new.overhead_ns) * RECKONED;
    diff->ready_ns = distance_of(diff->old.ready_ns, diff->new.ready_ns) * RECKONED;
    if (diff->old.has_cpu && diff->new.has_cpu) {
        int64_t cpu = mb_max_i64(diff->old.cpu_ns, diff->new.cpu_ns) / 100 * ANSWER_USUAL_NOISE;
        int64_t most_ready = mb_max_i64(diff->old.ready_ns, diff->new.ready_ns);
        diff->is_cpu = most_ready > cpu;
        diff->busy_ns = diff->is_cpu ? cpu + SLICE_NS : 0;
        diff->ready_ns = mb_max_i64(diff->ready_ns, diff->is_cpu ? most_ready / BUSY_PART : 0);
        diff->cpu = judge_change(diff->old.cpu_ns, diff->new.cpu_ns,
                                 trace_add(diff->recording_ns, diff->busy_ns));
    }
    if (diff->old.is_whole && diff->new.is_whole) {
        diff->wall = judge_change(diff->old.wall_ns, diff->new.wall_ns,
                                  trace_add(diff->recording_ns, diff->ready_ns));
    }
}

double answer_diff_slower(const struct answer_diff *diff)
{
    double most = mb_max_f64(diff->cpu.certain_percent, diff->wall.certain_percent);

    return !diff->old.is_whole || !diff->new.is_whole ? -1 : mb_max_f64(most, 0);
}

/* ---- Methods by name ---- */

/* Of one method, work first. */
static int compare_names(const struct answer_pair *a, const struct answer_pair *b)
{
    bool has_ids = a->name.size == 0 && b->name.size == 0;
    int order = has_ids ? (a->id > b->id) - (a->id < b->id) : mb_text_compare(a->name, b->name);

    return order != 0 ? order : (int)a->is_wait - (int)b->is_wait;
}

/* By name, the old one first. */
static int by_name(const void *a, const void *b)
{
    const struct answer_pair *x = a;
    const struct answer_pair *y = b;
    int order = compare_names(x, y);

    return order != 0 ? order : (x->new != NULL) - (y->new != NULL);
}

/* A pair that lacks the other method still. */
static struct answer_pair half_of(const struct answer_clock *clock,
                                  const struct answer_methods *methods,
                                  const struct trace_method *method, bool is_new)
{
    const struct answer_marks marks = answer_marks_of(methods, method->id, 0, 0);
    int64_t out = trace_add(method->waited, method->ready);
    int64_t work = trace_subtract(method->self, mb_max_i64(mb_max_i64(out, method->idle), 0));
    int64_t ns = answer_ns(clock, method->self > 0 ? mb_max_i64(work, 0) : method->self);

    return (struct answer_pair){
        .old = is_new ? NULL : method,
        .new = is_new ? method : NULL,
        .name = methods->names.find(methods->names.context, method->id),
        .id = method->id,
        .old_ns = is_new ? 0 : ns,
        .new_ns = is_new ? ns : 0,
        .inferred_ns = answer_ns(clock, mb_min_i64(method->inferred, method->self)),
        .is_muted = answer_has_mark(&marks, ANSWER_MARK_MUTED),
        .holds = answer_has_mark(&marks, ANSWER_MARK_HOLDS),
        .old_usual = is_new ? NULL : answer_find_usual(methods, method->id),
        .new_usual = is_new ? answer_find_usual(methods, method->id) : NULL,
    };
}

/* What it waited, but not for work, is a change of its own. */
static void add_halves(struct answer_diff *diff, const struct answer_clock *clock,
                       const struct answer_methods *methods, bool is_new)
{
    for (size_t i = 0; i < methods->count; i++) {
        const struct trace_method *row = &methods->rows[i];
        struct answer_pair half = half_of(clock, methods, row, is_new);
        int64_t all = mb_min_i64(row->waited, row->self);
        int64_t waited = mb_max_i64(trace_subtract(all, row->idle), 0);
        MB_VEC_PUSH(&diff->pairs, half);
        if (all > 0) {
            half.is_wait = true;
            half.is_idle = waited < all / 2;
            *(is_new ? &half.new_ns : &half.old_ns) = answer_ns(clock, waited);
            half.is_muted = half.holds = false;
            half.old_usual = half.new_usual = NULL;
            MB_VEC_PUSH(&diff->pairs, half);
        }
    }
}

static bool are_halves(const struct answer_pair *a, const struct answer_pair *b)
{
    bool is_apart = a->old != NULL && a->new == NULL && b->old == NULL;

    return is_apart && compare_names(a, b) == 0;
}

static void join_halves(struct answer_pair *old, const struct answer_pair *new)
{
    old->new = new->new;
    old->id = new->id;
    old->new_ns = new->new_ns;
    old->inferred_ns = new->new_ns > old->old_ns ? new->inferred_ns : old->inferred_ns;
    old->in_both = old->is_muted && new->is_muted;
    old->is_muted = old->is_muted || new->is_muted;
    old->old_usual = old->holds || new->holds ? NULL : old->old_usual;
    old->new_usual = old->old_usual != NULL ? new->new_usual : NULL;
    old->holds = old->holds != new->holds;
    old->is_idle = old->is_idle || new->is_idle;
}

/* What was found to wait for work in one of the traces does so in the other. */
static void leave_out_idle(struct answer_diff *diff)
{
    struct answer_pair *rows = diff->pairs.items;
    size_t kept = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        if (!rows[i].is_idle) {
            rows[kept++] = rows[i];
        }
    }
    MB_VEC_CUT(&diff->pairs, kept);
}

static void pair_methods(struct answer_diff *diff, const struct answer_facts *old,
                         const struct answer_facts *new)
{
    struct answer_pair *rows = NULL;
    size_t kept = 0;

    add_halves(diff, &old->clock, &old->methods, false);
    add_halves(diff, &new->clock, &new->methods, true);
    MB_VEC_SORT(&diff->pairs, by_name);
    rows = diff->pairs.items;
    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        if (kept > 0 && are_halves(&rows[kept - 1], &rows[i])) {
            join_halves(&rows[kept - 1], &rows[i]);
        } else {
            rows[kept++] = rows[i];
        }
    }
    MB_VEC_CUT(&diff->pairs, kept);
    leave_out_idle(diff);
}

/* ---- Muted methods ---- */

/* By a method's id in one of the traces. */
static struct answer_pair *find_pair(const struct answer_diff *diff, uint32_t id, bool is_new)
{
    struct answer_pair *pairs = diff->pairs.items;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        const struct trace_method *method = is_new ? pairs[i].new : pairs[i].old;
        if (method != NULL && method->id == id && !pairs[i].is_wait) {
            return &pairs[i];
        }
    }
    return NULL;
}

static double mean_of(const struct trace_method *method, int64_t own_ns)
{
    return method != NULL && method->calls > 0 ? (double)own_ns / (double)method->calls : 0;
}

/* What the caller has more in this run is the muted method's, up to what its calls of the other run
 * would have taken. Muted in both, how often it was called is not known: its mean must be greater,
 * too. */
static double held_part(const struct answer_pair *muted, double more, bool is_new)
{
    const struct trace_method *other = is_new ? muted->old : muted->new;
    int64_t own = is_new ? muted->new_ns : muted->old_ns;
    double mean = mean_of(is_new ? muted->new : muted->old, own);
    double greater = mean - mean_of(other, is_new ? muted->old_ns : muted->new_ns);
    double calls = other != NULL ? (double)other->calls : 0;
    double most = !muted->in_both                              ? mean * calls - (double)own
                  : greater * 100 > mean * ANSWER_METHOD_NOISE ? more
                                                               : 0;

    return mb_max_f64(mb_min_f64(more, most), 0);
}

/* Later calls of muted methods, out of the own times of their callers. */
static void return_held(struct answer_diff *diff, const struct answer_methods *methods, bool is_new)
{
    for (size_t i = 0; i < methods->held_count; i++) {
        const struct answer_held *held = &methods->held[i];
        struct answer_pair *muted = find_pair(diff, held->id, is_new);
        struct answer_pair *caller = find_pair(diff, held->caller, is_new);
        double more = caller == NULL ? 0 : (double)answer_pair_change(caller) * (is_new ? 1 : -1);
        if (muted != NULL && caller != NULL && muted != caller) {
            int64_t part = (int64_t)held_part(muted, more, is_new);
            int64_t *to = is_new ? &muted->new_ns : &muted->old_ns;
            int64_t *from = is_new ? &caller->new_ns : &caller->old_ns;
            *to = trace_add(*to, part);
            *from = trace_subtract(*from, part);
        }
    }
}

/* ---- Noise ---- */

/* Of all methods, at work. */
static int64_t sum_own(const struct answer_diff *diff, bool is_new)
{
    const struct answer_pair *pairs = diff->pairs.items;
    int64_t sum = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        int64_t own = is_new ? pairs[i].new_ns : pairs[i].old_ns;
        sum = trace_add(sum, pairs[i].is_wait ? 0 : mb_max_i64(own, 0));
    }
    return sum;
}

/* A busy machine: each method has its share of the time without a processor, and loses it. */
static double cpu_share(const struct answer_run *run, int64_t own)
{
    return own > run->cpu_ns && run->cpu_ns > 0 ? (double)run->cpu_ns / (double)own : 1;
}

static void scale_to_cpu(struct answer_diff *diff)
{
    int64_t ready = mb_max_i64(diff->old.ready_ns, diff->new.ready_ns);
    int64_t cpu = mb_max_i64(diff->old.cpu_ns, diff->new.cpu_ns);
    double old = cpu_share(&diff->old, sum_own(diff, false));
    double new = cpu_share(&diff->new, sum_own(diff, true));
    struct answer_pair *pairs = diff->pairs.items;

    diff->ready_part = diff->is_cpu ? (double)ready / (double)(cpu + 1) : 0;
    for (size_t i = 0; diff->is_cpu && i < MB_VEC_COUNT(&diff->pairs); i++) {
        pairs[i].old_ns = (int64_t)((double)pairs[i].old_ns * (pairs[i].is_wait ? 1 : old));
        pairs[i].new_ns = (int64_t)((double)pairs[i].new_ns * (pairs[i].is_wait ? 1 : new));
    }
}

/* A coarse clock gives each method whole ticks, others take the processor for whole slices: as many
 * as chance has it. */
static double clock_error(const struct answer_diff *diff, const struct answer_pair *pair)
{
    double both = (double)mb_max_i64(pair->old_ns, 0) + (double)mb_max_i64(pair->new_ns, 0);

    return CERTAIN_ERRORS * sqrt(((double)diff->tick_ns + diff->ready_part * SLICE_NS) * both);
}

/* Threads of a pool wait as long as the run: in sum longer than that. */
static double wait_noise(const struct answer_diff *diff, double larger)
{
    double wall = (double)mb_max_i64(diff->old.wall_ns, diff->new.wall_ns);
    double longer = (double)distance_of(diff->old.wall_ns, diff->new.wall_ns);
    double share = larger > wall ? longer / (wall + 1) : 0;

    return larger * (ANSWER_METHOD_NOISE / 100.0 + share) + (double)diff->ready_ns +
           wall / 100 * ANSWER_USUAL_NOISE;
}

/* A muted method may have had more calls: as many in both runs. Chance and the reading of
 * exact times are noise. */
static void take_usual(struct answer_pair *pair)
{
    double was = (double)pair->old->calls;
    double is = (double)pair->new->calls;
    double calls = mb_max_f64(was, is);
    double made = mb_max_f64(pair->old_usual->made, pair->new_usual->made);
    double fewest = mb_min_f64(pair->old_usual->calls, pair->new_usual->calls);

    pair->old_ns = (int64_t)(pair->old_usual->own_ns * (pair->is_muted ? calls : was));
    pair->new_ns = (int64_t)(pair->new_usual->own_ns * (pair->is_muted ? calls : is));
    pair->noise_ns = (double)mb_max_i64(pair->old_ns, pair->new_ns) *
                         (ANSWER_METHOD_NOISE / 100.0 + 1 / sqrt(fewest)) +
                     calls * EXACT_RECORD_NS * 2 * (1 + made);
}

static void set_noise(const struct answer_diff *diff, struct answer_pair *pair, double run_noise)
{
    double larger = (double)mb_max_i64(pair->old_ns, pair->new_ns);

    pair->noise_ns = pair->is_wait ? wait_noise(diff, larger)
                                   : mb_max_f64(mb_min_f64(diff->share * larger, run_noise),
                                                clock_error(diff, pair)) +
                                         (double)pair->inferred_ns;
}

static double change_of(const struct answer_pair *pair)
{
    return (double)answer_size_of(answer_pair_change(pair));
}

/* Times of a busy machine, or of a clock that stands still, may hide what calls usually take. */
static void judge_pair(struct answer_diff *diff, struct answer_pair *pair, double little,
                       double run_noise)
{
    bool is_sure = !diff->is_cpu && !pair->is_muted;

    set_noise(diff, pair, run_noise);
    if (pair->old_usual != NULL && pair->new_usual != NULL &&
        !(is_sure && change_of(pair) > pair->noise_ns)) {
        take_usual(pair);
    }
    double change = change_of(pair);
    bool is_more = change > little || pair->is_wait;
    bool is_noise = pair->holds || change <= pair->noise_ns;
    pair->is_certain = is_more && !is_noise;
    diff->certain += pair->is_certain;
    diff->little += change > 0 && !is_more;
    diff->noise += is_more && is_noise && !pair->is_wait;
    diff->explained += is_more && is_noise && change + (double)pair->inferred_ns > pair->noise_ns;
}

/* For as large a share of its time as the run, each method may have been without a processor, if
 * CPU time does not tell. */
static void judge_pairs(struct answer_diff *diff)
{
    double own = (double)mb_max_i64(sum_own(diff, false), sum_own(diff, true));
    double little = own / 100 * ANSWER_LITTLE_PERCENT;
    double ready = diff->is_cpu ? 0 : (double)diff->ready_ns;
    double run_noise = own / 100 * ANSWER_USUAL_NOISE + (double)diff->recording_ns + ready;

    diff->share = mb_min_f64(ANSWER_METHOD_NOISE / 100.0 + ready / (own + 1), 1);
    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        judge_pair(diff, &diff->pairs.items[i], little, run_noise);
    }
}

/* Code that is compiled later on a busy machine makes the run slower, but not what calls usually
 * take. */
static void doubt_cpu(struct answer_diff *diff)
{
    const struct answer_pair *pairs = diff->pairs.items;
    int64_t usual = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->pairs); i++) {
        bool is_one = pairs[i].is_certain && pairs[i].new_usual != NULL;
        usual = trace_add(usual, is_one ? answer_pair_change(&pairs[i]) : 0);
    }
    if (diff->is_cpu) {
        int64_t late = mb_min_i64(distance_of(diff->cpu.change_ns, usual), COMPILING_NS);
        diff->busy_ns = trace_add(diff->busy_ns, late);
        diff->cpu = judge_change(diff->old.cpu_ns, diff->new.cpu_ns,
                                 trace_add(diff->recording_ns, diff->busy_ns));
    }
}

/* The size of what is certain; else how unlikely it is by chance. */
static double weight_of(const struct answer_pair *pair)
{
    return change_of(pair) / (pair->is_certain ? 1 : pair->noise_ns + 1);
}

/* Certain ones first, work before waits, then the greatest change, whichever its direction; of
 * equal ones, by name. */
static int by_change(const void *a, const void *b)
{
    const struct answer_pair *x = a;
    const struct answer_pair *y = b;
    double more = weight_of(y) - weight_of(x);

    return x->is_certain != y->is_certain ? (int)y->is_certain - (int)x->is_certain
           : x->is_wait != y->is_wait     ? (int)x->is_wait - (int)y->is_wait
           : more < 0 || more > 0         ? (more > 0) - (more < 0)
                                          : compare_names(x, y);
}

void answer_diff_make(struct answer_diff *diff, const struct answer_facts *old,
                      const struct answer_facts *new)
{
    diff->old_methods = &old->methods;
    diff->new_methods = &new->methods;
    answer_diff_runs(diff, old, new);
    diff->tick_ns = mb_max_i64(answer_tick_ns(&old->clock), answer_tick_ns(&new->clock));
    pair_methods(diff, old, new);
    scale_to_cpu(diff);
    return_held(diff, &old->methods, false);
    return_held(diff, &new->methods, true);
    judge_pairs(diff);
    doubt_cpu(diff);
    MB_VEC_SORT(&diff->pairs, by_change);
    answer_tails_make(&diff->tails, old, new);
    mb_buf_fail_with(&diff->pairs.buf, &diff->tails.buf);
}

void answer_diff_finish(struct answer_diff *diff)
{
    mb_buf_finish(&diff->pairs.buf);
    mb_buf_finish(&diff->tails.buf);
}
