/* What a thread read before some of its words: the time, which words have by a clock that may stand
 * still, how long it had been ready without a processor, and run, and how often it had waited. It
 * writes, and the keeper reads meanwhile. */

#ifndef RECORDER_PROFILE_READINGS_H
#define RECORDER_PROFILE_READINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PROF_READINGS 256u

struct prof_read {
    uint64_t time_ns; /* since any moment */
    uint64_t ready_ns;
    uint64_t ran_ns; /* a tick late */
    uint64_t waits;  /* since the thread began */
};

struct prof_reading {
    _Atomic(uint64_t) key; /* 0 while it changes */
    _Atomic(uint64_t) time_ns;
    _Atomic(uint64_t) ready_ns;
    _Atomic(uint64_t) ran_ns;
    _Atomic(uint64_t) waits;
};

/* The newest of one ring, of whichever thread has it. Zeroed memory has none. */
struct prof_readings {
    _Atomic(uint64_t) count; /* ever */
    struct prof_reading rows[PROF_READINGS];
};

/* Before the word of that position, by the owner of the claim. Safe in a signal handler. */
void prof_readings_put(struct prof_readings *readings, uint32_t claim, uint64_t position,
                       const struct prof_read *read);

/* False if there is none. readings may be NULL. */
bool prof_readings_find(const struct prof_readings *readings, uint32_t claim, uint64_t position,
                        struct prof_read *read);

#endif
