/* Two traces side by side: what changed between them, and how much of that is more than noise. */

#ifndef ANSWER_DIFF_H
#define ANSWER_DIFF_H

#include "answer/facts.h"
#include "answer/finding.h"
#include "base/vec.h"

/* How long requests took in two traces, by kind, and how much of a change is more than chance. */

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

#define ANSWER_LEAST_CAUSED 5 /* slow requests of a cause that is told of two traces */

#define ANSWER_GROWN 0.1 /* a cause that had at most that part of its time is another one */

/* True if the other trace has slow requests of the kind, and none by that cause of this one, or at
 * most that part of its time, of each request of the kind. */
bool answer_tail_lacks(const struct answer_excess *excess, const struct answer_side *side,
                       const struct answer_side *other, double part);

/* A run as a whole; times in ns. */
struct answer_run {
    int64_t wall_ns;     /* from the first call to the last record */
    int64_t cpu_ns;      /* of the threads that were recorded */
    int64_t overhead_ns; /* what recording took of both, roughly */
    int64_t ready_ns;    /* in calls, able to run and without a processor, or waiting where the
                          * two are not known apart */
    bool has_cpu;        /* cpu_ns is of all but a twentieth of the time in calls */
    bool is_whole;       /* nothing is overwritten that wall_ns would be of */
};

struct answer_change {
    int64_t change_ns;
    int64_t certain_ns; /* the part of it that noise cannot have made; of the same sign, or 0 */
    double percent;     /* of the old run; and its certain part: */
    double certain_percent;
};

/* A method in the old trace, in the new one, or in both: it is the same if its name is. */
struct answer_pair {
    const struct trace_method *old;
    const struct trace_method *new;
    struct mb_text name; /* borrowed; empty: none is known, and the id stands for it */
    uint32_t id;         /* in the new one if it is there */
    int64_t old_ns;      /* own time, at work; CPU time if the machine was busy */
    int64_t new_ns;
    const struct answer_usual *old_usual; /* what a call takes; both are known, or none */
    const struct answer_usual *new_usual;
    double noise_ns;     /* a change of this size may be chance */
    int64_t inferred_ns; /* of the longer own time, at most: rests on inferred ends */
    bool is_wait;        /* times are what it waited, not for work */
    bool is_idle;        /* most of it for work, in one of the traces: left out */
    bool is_muted;       /* in either: an estimate, by its mean and what its callers have more */
    bool in_both;
    bool holds;      /* in one of them, time of muted methods: when that began is chance */
    bool is_certain; /* it changed by more than noise */
};

/* Zeroed memory can be finished. */
struct answer_diff {
    const struct answer_methods *old_methods;
    const struct answer_methods *new_methods;
    struct answer_run old;
    struct answer_run new;
    struct answer_change wall;
    struct answer_change cpu; /* 0 where a run does not know */
    int64_t recording_ns;     /* what recording may have made of the change; */
    int64_t ready_ns;         /* of wall: a machine that had other things to do */
    int64_t busy_ns;          /* of CPU time: code that was compiled later */
    int64_t tick_ns;          /* of the coarser clock; 0: neither is coarse */
    bool is_cpu;              /* methods are compared by CPU time */
    double ready_part;        /* of their times, from 0 to 1, was without a processor */
    double share; /* of a method's own time, from 0 to 1: what changes by less is noise */
    MB_VEC(struct answer_pair) pairs; /* certain ones first, then by the size of the change */
    size_t certain;                   /* how many of them; those that did not change are in none */
    size_t little;                    /* by less than ANSWER_LITTLE_PERCENT */
    size_t noise;
    size_t explained; /* of noise: by muted methods below them and inferred ends */
    union answer_tails tails;
};

/* The runs, without methods. */
void answer_diff_runs(struct answer_diff *diff, const struct answer_facts *old,
                      const struct answer_facts *new);

/* All of it. Without memory pairs fails. */
void answer_diff_make(struct answer_diff *diff, const struct answer_facts *old,
                      const struct answer_facts *new);
void answer_diff_finish(struct answer_diff *diff);

/* For a method: noise in percent of its own time; and the least share of the run worth a row. */
#define ANSWER_METHOD_NOISE 10
#define ANSWER_LITTLE_PERCENT 0.2

/* By how many percent the new run is slower for certain, in CPU or wall time, whichever is
 * more; 0: it is not. Below 0: the traces do not tell. */
double answer_diff_slower(const struct answer_diff *diff);

/* "Certainly slower methods: a.B.c, a.D.e.": at most three, the most likely cause first. Nothing if
 * none is slower. The verdict has the same where the run is slower. */
void answer_put_suspects(const struct answer_diff *diff, struct mb_buf *out);

void answer_find_verdict(struct answer_findings *findings, const struct answer_diff *diff);

/* How many methods are left out, and why; nothing where all are told. */
void answer_find_noise(struct answer_findings *findings, const struct answer_diff *diff);

/* Those that the pair's id is of. */
static inline const struct answer_methods *answer_pair_methods(const struct answer_diff *diff,
                                                               const struct answer_pair *pair)
{
    return pair->new != NULL ? diff->new_methods : diff->old_methods;
}

/* "slower", "faster", "new", "gone" or "waits". */
const char *answer_pair_word(const struct answer_pair *pair);

static inline int64_t answer_pair_change(const struct answer_pair *pair)
{
    return trace_subtract(pair->new_ns, pair->old_ns);
}

/* Without its sign; what a damaged trace holds may be the end of 64 bits. */
static inline int64_t answer_size_of(int64_t change)
{
    return change >= 0 ? change : change == INT64_MIN ? INT64_MAX : -change;
}

#endif
