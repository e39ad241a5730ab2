/* Stacks of a thread that is late with something, from the thread that waits for it: samples where
 * no engine may look at any time. While an engine samples they are left out. */

#ifndef SAMPLER_LATE_H
#define SAMPLER_LATE_H

#include "sampler/threads.h"
#include "sampler/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* A stack, and why it was taken. */
struct samp_late {
    struct samp_seen seen; /* interval_us: at which the thread is looked at first */
    int64_t since_ns;      /* what it is late with began; CLOCK_MONOTONIC */
    uint64_t took_ns;      /* CPU time of the thread that took it */
};

/* Does an engine sample from now on? */
void samp_late_yield(bool is_on);
bool samp_late_yields(void);

/* Does the recorded session ask for them? */
bool samp_late_is_wanted(void);

/* Put it into the trace. The thread's description is the caller's, zeroed but for id and name. One
 * caller at a time; not under a lock of the recorder. */
void samp_late_put(struct samp_thread *thread, const struct samp_late *late);

/* The thread has ended. */
void samp_late_end(struct samp_thread *thread);

#endif
