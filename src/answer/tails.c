/* How long requests took in two traces. */

#include "answer/diff.h"
#include "answer/requests.h"

#include "base/number.h"

#include <math.h>

/* What changes from one run to the next, whatever the number of requests, and what of that is left
 * without waits for a processor. */
#define RUN_ERROR (ANSWER_USUAL_NOISE / 100.0)
#define LEFT_ERROR 0.03
#define READY_PART 2     /* threads wait for others without a processor: as long as these */
#define MOST_READY 0.95  /* of a length */
#define LEAST_FOUND 10.0 /* points above a limit that a rise is to be found by */
#define LEAST_P99 1000   /* requests that a kind has to have, about */

/* ---- Quantiles ---- */

/* How far the bound is from the length, as a logarithm; infinite where nothing is known. */
static double error_of(int64_t length_ns, int64_t bound_ns)
{
    bool is_known = bound_ns > 0 && bound_ns != INT64_MAX;

    return is_known ? log((double)bound_ns / (double)length_ns) : INFINITY;
}

/* A machine that has other things to do makes requests longer: by so much, as a logarithm. */
static double ready_error(int64_t length_ns, int64_t ready_ns)
{
    double share = mb_min_f64((double)mb_max_i64(ready_ns, 0) / (double)length_ns, MOST_READY);

    return -log(1 - share) * READY_PART;
}

/* A kind in one of the runs. */
struct tail_side {
    const struct answer_request *kind;
    int64_t ready_ns; /* of requests of about that length */
};

static const struct answer_quantile *quantile_of(const struct answer_lengths *lengths,
                                                 enum answer_share share)
{
    return share == ANSWER_P50 ? &lengths->p50 : &lengths->p99;
}

/* A request's own time without a processor is known and taken off; that of the threads that it
 * waits for is not. As a logarithm: usual ones lack it as long as such requests, in the part of its
 * time that a request waits, and what slow ones wait for as long as the work of the kind. */
static double waiting_error(const struct answer_request *kind, enum answer_share share)
{
    double p50 = (double)mb_max_i64(kind->lengths.p50.ns, 1) /
                 (double)mb_max_i64(kind->on_processor.p50.ns, 1);
    double used = (double)mb_max_i64(kind->used_ns, 1);
    double waited = mb_min_f64((double)kind->waited_ns / used, 1);

    return waited * (share == ANSWER_P50 ? mb_max_f64(log(p50), 0) : log(1 + answer_lacked(kind)));
}

/* Of nearly all that ended once the kind was known to be one. */
static bool has_processor(const struct answer_request *kind)
{
    return kind->on_processor.calls > kind->lengths.calls / 2;
}

/* The errors of both runs and of each run add up as independent ones do; how busy a machine was
 * does not, where it is not known of each request. */
static void add_errors(struct answer_tail_change *change, const struct tail_side *was,
                       const struct tail_side *is, enum answer_share share)
{
    const struct answer_quantile *old = change->old;
    const struct answer_quantile *new = change->new;
    bool is_more = new->ns > old->ns;
    double new_error = error_of(new->ns, is_more ? new->least_ns : new->most_ns);
    double old_error = error_of(old->ns, is_more ? old->most_ns : old->least_ns);

    change->chance = sqrt(new_error * new_error + old_error * old_error);
    change->busy =
        change->is_on_processor
            ? mb_max_f64(waiting_error(was->kind, share), waiting_error(is->kind, share))
            : mb_max_f64(ready_error(old->ns, was->ready_ns), ready_error(new->ns, is->ready_ns));
}

static double run_error(const struct answer_tail_change *change)
{
    return change->is_on_processor ? LEFT_ERROR : RUN_ERROR;
}

static struct answer_tail_change compare_sides(const struct tail_side *was,
                                               const struct tail_side *is, enum answer_share share)
{
    struct answer_tail_change change = {.is_on_processor =
                                            has_processor(was->kind) && has_processor(is->kind)};
    bool is_raw = !change.is_on_processor;
    const struct answer_lengths *old = is_raw ? &was->kind->lengths : &was->kind->on_processor;
    const struct answer_lengths *new = is_raw ? &is->kind->lengths : &is->kind->on_processor;

    change.old = quantile_of(old, share);
    change.new = quantile_of(new, share);
    change.calls = mb_min_u64(old->calls, new->calls);
    if (change.old->ns <= 0 || change.new->ns <= 0) {
        return change;
    }
    double size = log((double)change.new->ns / (double)change.old->ns);
    add_errors(&change, was, is, share);
    double error = hypot(change.chance, run_error(&change)) + change.busy;
    double left = mb_max_f64(fabs(size) - error, 0);
    change.is_known = change.new->most_ns != INT64_MAX &&change.old->most_ns != INT64_MAX;
    change.percent = (exp(size) - 1) * 100;
    change.certain_percent = (exp(size > 0 ? left : -left) - 1) * 100;
    return change;
}

uint64_t answer_tail_needs(const struct answer_tail_change *change, double limit_percent)
{
    double found = limit_percent + mb_max_f64(limit_percent, LEAST_FOUND);
    double room = log((1 + found / 100) / (1 + limit_percent / 100)) - change->busy;
    double error = run_error(change);

    if (!change->is_known) {
        return LEAST_P99;
    }
    if (room <= error) {
        return UINT64_MAX;
    }
    double ratio = change->chance / sqrt(room * room - error * error);
    return ratio > 1 ? (uint64_t)((double)change->calls * ratio * ratio) : 0;
}

/* ---- Kinds ---- */

static struct mb_text name_of(const struct answer_methods *methods, uint32_t id)
{
    return methods->names.find(methods->names.context, id);
}

/* Without names, of the same id. */
static bool is_same(const struct answer_methods *methods, uint32_t id,
                    const struct answer_methods *others, uint32_t other)
{
    struct mb_text name = name_of(methods, id);
    struct mb_text other_name = name_of(others, other);

    return name.size == 0 && other_name.size == 0 ? id == other
                                                  : mb_text_compare(name, other_name) == 0;
}

static void compare_kinds(struct answer_tail *tail)
{
    const struct answer_request *old = tail->old;
    const struct answer_request *new = tail->new;
    const struct tail_side was[] = {{old, old->ready_ns}, {old, old->slow_ready_ns}};
    const struct tail_side is[] = {{new, new->ready_ns}, {new, new->slow_ready_ns}};

    tail->p50 = compare_sides(&was[ANSWER_P50], &is[ANSWER_P50], ANSWER_P50);
    tail->p99 = compare_sides(&was[ANSWER_P99], &is[ANSWER_P99], ANSWER_P99);
}

/* NULL: the old trace lacks it. */
static const struct answer_request *find_old(const struct answer_request *rows, size_t count,
                                             const struct answer_facts *old,
                                             const struct answer_facts *new, uint32_t id)
{
    size_t i = 0;

    while (i < count && !is_same(&new->methods, id, &old->methods, rows[i].id)) {
        i++;
    }
    return i < count ? &rows[i] : NULL;
}

void answer_tails_make(union answer_tails *tails, const struct answer_facts *old,
                       const struct answer_facts *new)
{
    for (size_t i = 0; i < new->requests.count; i++) {
        struct answer_tail tail = {.new = &new->requests.rows[i]};
        uint32_t id = tail.new->id;
        tail.old = find_old(old->requests.rows, old->requests.count, old, new, id);
        if (tail.old == NULL) {
            tail.old = find_old(old->requests.left_out, old->requests.left_out_count, old, new, id);
        }
        if (tail.old != NULL) {
            compare_kinds(&tail);
        }
        MB_VEC_PUSH(tails, tail);
    }
}

const struct answer_tail *answer_tails_slowest(const union answer_tails *tails,
                                               enum answer_share share)
{
    const struct answer_tail *slowest = NULL;

    for (size_t i = 0; i < MB_VEC_COUNT(tails); i++) {
        const struct answer_tail *tail = &tails->items[i];
        const struct answer_tail_change *change = answer_tail_change(tail, share);
        if (change->is_known &&
            (slowest == NULL ||
             change->certain_percent > answer_tail_change(slowest, share)->certain_percent)) {
            slowest = tail;
        }
    }
    return slowest;
}

/* ---- Causes ---- */

/* Of all requests of its kind: only some of the slow ones are kept. */
static double each_ns(const struct answer_excess *excess, const struct answer_side *side)
{
    const struct answer_request *kind = side->request;
    double kept = (double)mb_max_u64(kind->asked_count, 1);
    double all = (double)mb_max_u64(kind->known_calls, 1);

    return (double)excess->more_ns / kept * (double)kind->slow_count / all;
}

bool answer_tail_lacks(const struct answer_excess *excess, const struct answer_side *side,
                       const struct answer_side *other, double part)
{
    bool is_new = excess->state != ANSWER_STATE_MIXED && excess->count >= ANSWER_LEAST_CAUSED &&
                  other->request->slow_count > 0;

    for (size_t i = 0; is_new && i < other->request->excess_count; i++) {
        const struct answer_excess *one = &other->request->excesses[i];
        bool is_known = one->state != ANSWER_STATE_TIME && excess->state != ANSWER_STATE_TIME;
        is_new = (is_known && one->state != excess->state) ||
                 each_ns(one, other) < each_ns(excess, side) * part ||
                 (excess->state != ANSWER_STATE_READY &&
                  !is_same(side->methods, excess->id, other->methods, one->id));
    }
    return is_new;
}
