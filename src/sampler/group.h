/* Threads that are sampled at one interval, by one thread of the sampler: the main thread, or all
 * others. */

#ifndef SAMPLER_GROUP_H
#define SAMPLER_GROUP_H

#include "sampler/pace.h"
#include "sampler/sampler.h"
#include "sampler/writer.h"

#include <stdbool.h>
#include <stdint.h>

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
