/* How often a group of threads is sampled: as asked for, or as its budget allows. Pure functions.
 */

#ifndef SAMPLER_PACE_H
#define SAMPLER_PACE_H

#include <stdint.h>

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

#endif
