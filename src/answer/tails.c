/* How long requests took in two traces. */

#include "answer/tails.h"

#include "base/number.h"

#include <math.h>

/* What changes from one run to the next, whatever the number of requests. */
#define RUN_ERROR (ANSWER_USUAL_NOISE / 100.0)
#define READY_PART 2    /* threads wait for others without a processor: as long as these */
#define MOST_READY 0.95 /* of a length */
#define LEAST_CAUSED 5  /* slow requests of a cause that is told as new or gone */

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

/* A length in one of the runs. */
struct tail_side {
    const struct answer_quantile *length;
    int64_t ready_ns; /* of requests of about that length */
};

/* The errors of both runs and of each run add up as independent ones do; how busy a machine was
 * does not. */
static struct answer_tail_change compare_sides(const struct tail_side *was,
                                               const struct tail_side *is)
{
    const struct answer_quantile *old = was->length;
    const struct answer_quantile *new = is->length;
    struct answer_tail_change change = {0};

    if (old->ns <= 0 || new->ns <= 0) {
        return change;
    }
    double size = log((double)new->ns / (double)old->ns);
    bool is_more = size > 0;
    double new_error = error_of(new->ns, is_more ? new->least_ns : new->most_ns);
    double old_error = error_of(old->ns, is_more ? old->most_ns : old->least_ns);
    double error = sqrt(new_error * new_error + old_error * old_error + RUN_ERROR * RUN_ERROR);
    error += mb_max_f64(ready_error(old->ns, was->ready_ns), ready_error(new->ns, is->ready_ns));
    double left = mb_max_f64(fabs(size) - error, 0);

    change.is_known = new->most_ns != INT64_MAX && old->most_ns != INT64_MAX;
    change.percent = (exp(size) - 1) * 100;
    change.certain_percent = (exp(is_more ? left : -left) - 1) * 100;
    return change;
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
    const struct tail_side was_p50 = {&old->lengths.p50, old->ready_ns};
    const struct tail_side is_p50 = {&new->lengths.p50, new->ready_ns};
    const struct tail_side was_p99 = {&old->lengths.p99, old->slow_ready_ns};
    const struct tail_side is_p99 = {&new->lengths.p99, new->slow_ready_ns};

    tail->p50 = compare_sides(&was_p50, &is_p50);
    tail->p99 = compare_sides(&was_p99, &is_p99);
}

void answer_tails_make(union answer_tails *tails, const struct answer_facts *old,
                       const struct answer_facts *new)
{
    for (size_t i = 0; i < new->requests.count; i++) {
        struct answer_tail tail = {.new = &new->requests.rows[i]};
        for (size_t k = 0; tail.old == NULL && k < old->requests.count; k++) {
            const struct answer_request *row = &old->requests.rows[k];
            bool is_it = is_same(&new->methods, tail.new->id, &old->methods, row->id);
            tail.old = is_it ? row : NULL;
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

bool answer_tail_is_new(const struct answer_excess *excess, const struct answer_side *side,
                        const struct answer_side *other)
{
    bool is_new = excess->state != ANSWER_STATE_MIXED && excess->count >= LEAST_CAUSED &&
                  other->request->slow_count > 0;

    for (size_t i = 0; is_new && i < other->request->excess_count; i++) {
        const struct answer_excess *one = &other->request->excesses[i];
        is_new = one->state != excess->state ||
                 !is_same(side->methods, excess->id, other->methods, one->id);
    }
    return is_new;
}
