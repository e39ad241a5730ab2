/* Two traces side by side: what changed between them, and how much of that is more than noise. */

#ifndef EXPORT_DIFF_H
#define EXPORT_DIFF_H

#include "export/export.h"

/* A run as a whole; times in ns. */
struct export_run {
    int64_t wall_ns;     /* from the first call to the last record */
    int64_t cpu_ns;      /* of the threads that were recorded */
    int64_t busy_ns;     /* in calls, of all threads */
    int64_t overhead_ns; /* what recording took of both, roughly */
    int64_t ready_ns;    /* in calls, able to run and without a processor, at least; */
    int64_t stolen_ns;   /* of that, what nobody knows the calls of */
    bool has_cpu;        /* cpu_ns is of all but a twentieth of the time in calls */
    bool is_whole;       /* nothing is overwritten that wall_ns would be of */
};

struct export_change {
    int64_t change_ns;
    int64_t certain_ns; /* the part of it that noise cannot have made; of the same sign, or 0 */
    double percent;     /* of the old run; likewise: */
    double certain_percent;
};

/* Why a method that changed is not told. */
enum export_noise {
    EXPORT_CERTAIN, /* it is */
    EXPORT_LITTLE,  /* less than a five hundredth of the run, or than the tick of the clock */
    EXPORT_NOISE,   /* less than the share of its time that is noise, and than noise of the run */
    EXPORT_MUTED_TIME, /* of a method that was muted, or of calls to such as the other run lacks */
    EXPORT_INFERRED_TIME, /* of calls that no record tells the end of */
    EXPORT_NOISE_COUNT,   /* how many kinds there are */
};

/* A method in the old trace, in the new one, or in both: it is the same if its name is. */
struct export_pair {
    const struct trace_method *old;
    const struct trace_method *new;
    uint32_t id;    /* in the new one if it is there */
    size_t rank;    /* by name */
    int64_t old_ns; /* own time */
    int64_t new_ns;
    int64_t held_ns; /* own time of muted methods below it, in the new one less in the old one */
    int64_t inferred_ns; /* of the longer own time, at most: rests on inferred ends */
    bool is_muted;       /* in either */
    enum export_noise noise;
};

/* Zeroed memory can be finished. */
struct export_diff {
    struct export_run old;
    struct export_run new;
    struct export_change wall;
    struct export_change cpu; /* 0 where a run does not know */
    double usual;             /* noise of both, in percent; and: */
    int64_t recording_ns;     /* what recording may have made of the change; */
    int64_t ready_ns;         /* of wall: a machine that had other things to do */
    double share;     /* of a method's own time, from 0 to 1: what changes by less is noise */
    double run_noise; /* in ns, of own time: what changes by more is told, whatever its share */
    double middle; /* by what share half of the methods changed, and more; 0: there are too few */
    struct mb_buf pairs; /* struct export_pair, told ones first, then by the size of the change */
    size_t
        counts[EXPORT_NOISE_COUNT]; /* pairs of each kind; those that did not change are in none */
};

/* The runs, without methods: report against report->old. */
void export_diff_runs(struct export_diff *diff, const struct export_report *report);

/* All of it. Without memory pairs fails. */
void export_diff_make(struct export_diff *diff, const struct export_report *report);
void export_diff_finish(struct export_diff *diff);

/* What of a run is told as noise whatever happened: one program takes as much more or less from one
 * run to the next. In percent. */
#define EXPORT_USUAL_NOISE 5

/* Likewise, and of a single method. */
#define EXPORT_METHOD_NOISE 10

/* A change of a method is no noise if it is so many times that of the middle one of all. */
#define EXPORT_TIMES_MIDDLE 4

/* By how many percent the new run is slower for certain, in CPU time or on the clock, whichever is
 * more; 0: it is not. Below 0: the traces do not tell. */
double export_diff_slower(const struct export_diff *diff);

/* The verdict in a sentence or two. */
void export_put_verdict(const struct export_diff *diff, struct mb_buf *out);

/* How many methods are left out, and by which rule; nothing where all are told. */
void export_put_noise(const struct export_diff *diff, struct mb_buf *out);

/* "slower", "faster", "new" or "gone". */
const char *export_pair_word(const struct export_pair *pair);

static inline int64_t export_pair_change(const struct export_pair *pair)
{
    return trace_subtract(pair->new_ns, pair->old_ns);
}

/* Without its sign; what a damaged trace holds may be the end of 64 bits. */
static inline int64_t export_size_of(int64_t change)
{
    return change >= 0 ? change : change == INT64_MIN ? INT64_MAX : -change;
}

#endif
