/* Threads that are sampled at one interval, by one thread of the sampler: the main thread, or all
 * others. */

#ifndef SAMPLER_GROUP_H
#define SAMPLER_GROUP_H

#include "sampler/sampler.h"
#include "sampler/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* How often a group of threads is sampled: as asked for, or as its budget allows. Pure functions.
 */

/* Zeroed memory plus asked_us is a valid start. */
struct samp_pace {
    uint32_t asked_us; /* interval; 0: never */
    uint32_t now_us;   /* 0: as asked */
    uint32_t widest_us;
    uint64_t target_ns; /* CPU time that samples took from the program's threads, and from the */
    uint64_t own_ns;    /* sampler's own, since the budget was last looked at */
    int64_t since_ns;
    int64_t since_cpu_ns;
    uint32_t random;
};

/* Once a second: of the CPU time that the process takes, at least that of one processor, samples
 * may take 1 % from the program, and the sampler may take as much; 2 % each where an interval of
 * 2 ms or less was asked for. Where 50 ms or more was, both together may take half a percent of the
 * CPU time. Beyond, the interval doubles; below half of it, it halves again. */
void samp_pace_judge(struct samp_pace *pace, int64_t now_ns, int64_t process_cpu_ns);

/* The present interval. */
uint32_t samp_pace_interval_us(const struct samp_pace *pace);

/* When the next samples are due: up to an eighth earlier or later than the interval, or they would
 * keep step with what the program does at intervals. INT64_MAX: never. */
int64_t samp_pace_next(struct samp_pace *pace, int64_t now_ns);

struct samp_group {
    const struct samp_engine *engine;
    struct samp_writer *writer; /* of all groups, under the drain's lock */
    bool is_main;
    struct samp_pace pace;
    int64_t due_ns;
    int64_t begin_ns;  /* of the present look at all */
    int64_t second_ns; /* when rings are looked for again */
    uint64_t late;     /* since the trace was last told */
    uint64_t target_ns;
    uint64_t *told_cpu_ns; /* CPU time of the sampler's thread, as far as the trace has it */
    struct samp_place places[SAMP_DEPTH];
};

/* CPU time of the calling thread. */
uint64_t samp_own_cpu_ns(void);

/* Look at all threads of the group, and write what is known of them. Then plan the next time. */
void samp_group_sample(struct samp_group *group, int64_t now_ns);

/* What its threads did until now, without new questions. */
void samp_group_finish(struct samp_group *group);

#endif
