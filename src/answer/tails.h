/* How long requests took in two traces, by kind, and how much of a change is more than chance. */

#ifndef ANSWER_TAILS_H
#define ANSWER_TAILS_H

#include "answer/facts.h"
#include "base/vec.h"

/* A change of less than this share of the run is noise: one program takes as much more or less
 * from one run to the next. In percent. */
#define ANSWER_USUAL_NOISE 5

/* Which lengths of a kind a limit is for. */
enum answer_share { ANSWER_P50, ANSWER_P99, ANSWER_SHARES };

struct answer_tail_change {
    /* What is compared: where it is known of both, without the time for which requests were ready
     * without a processor. Borrowed; NULL without an old kind. */
    const struct answer_quantile *old;
    const struct answer_quantile *new;
    bool is_on_processor;
    bool is_known;  /* both intervals have bounds */
    uint64_t calls; /* of the run with fewer */
    double chance;  /* errors, as logarithms: by the number of requests, */
    double busy;    /* and by what else the machine did */
    double percent; /* of the old length; and its certain part, 0 if it may be chance: */
    double certain_percent;
};

/* A kind of the new trace, and the one of its name in the old; borrowed. */
struct answer_tail {
    const struct answer_request *old; /* NULL: it has none; then nothing is known of changes */
    const struct answer_request *new;
    struct answer_tail_change p50;
    struct answer_tail_change p99;
};
MB_VEC_TYPE(answer_tails, struct answer_tail);

/* Append the kinds of the new trace, those with most time first. Without memory tails fails. */
void answer_tails_make(union answer_tails *tails, const struct answer_facts *old,
                       const struct answer_facts *new);

static inline const struct answer_tail_change *answer_tail_change(const struct answer_tail *tail,
                                                                  enum answer_share share)
{
    return share == ANSWER_P50 ? &tail->p50 : &tail->p99;
}

/* How many requests of the kind both runs need, so that a rise of the limit's size above it would
 * be found, and of 10 points at least; 0: there are enough; UINT64_MAX: the machine was too busy.
 */
uint64_t answer_tail_needs(const struct answer_tail_change *change, double limit_percent);

/* The kind that became slower by most, for certain; NULL if no kind's change is known. */
const struct answer_tail *answer_tails_slowest(const union answer_tails *tails,
                                               enum answer_share share);

/* A kind in one of the traces. */
struct answer_side {
    const struct answer_request *request;
    const struct answer_methods *methods;
};

/* True if the other trace has slow requests of the kind, and none by that cause of this one. */
bool answer_tail_is_new(const struct answer_excess *excess, const struct answer_side *side,
                        const struct answer_side *other);

#endif
