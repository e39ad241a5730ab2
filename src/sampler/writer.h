/* Puts what the sampler sees into the trace. One of the process; all under the drain's lock, but
 * for what says otherwise. */

#ifndef SAMPLER_WRITER_H
#define SAMPLER_WRITER_H

#include "sampler/threads.h"
#include "sampler/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samp_writer {
    struct samp_tables tables;
    struct samp_tree tree;
};

/* Be with the recorded session; false without one to write to. */
bool samp_writer_follow(struct samp_writer *writer);

/* Let go of everything. */
void samp_writer_finish(struct samp_writer *writer);

/* A stack, as it was seen. */
struct samp_seen {
    const struct samp_place *places;
    size_t count; /* innermost first */
    bool is_cut;
    int64_t since_ns; /* CLOCK_MONOTONIC; it was the same until: */
    int64_t time_ns;
    uint64_t cpu_ns; /* of the thread, so far */
    uint32_t state;  /* enum abi_sample_state */
    uint32_t interval_us;
    bool is_polled; /* ABI_STACK_POLLED */
};

void samp_writer_sample(struct samp_writer *writer, struct samp_thread *thread,
                        const struct samp_seen *seen);

/* The thread has run nothing since its last sample: that holds until now, too. */
void samp_writer_idle(struct samp_writer *writer, struct samp_thread *thread, int64_t now_ns,
                      uint32_t state);

/* A stack could not be walked. code: the engine's, not above 0. */
void samp_writer_failure(struct samp_writer *writer, struct samp_thread *thread, int32_t code);

/* A stack beside the samples; without frames, that of the thread's last sample stands for it. */
struct samp_walk {
    uint32_t count;
    struct samp_place places[SAMP_WAIT_DEPTH];
};

/* What is known of a lock. */
struct samp_lock {
    uint32_t kind;             /* enum abi_block_kind */
    int64_t asked_ns;          /* when its owner was, on CLOCK_MONOTONIC; 0: never */
    struct samp_thread *owner; /* or NULL */
    struct samp_walk waits;    /* where */
    struct samp_walk holds;    /* where the owner was */
    char name[ABI_LOCK_NAME_SIZE];
};

/* A thread waits for it: a record, which the wait then names. */
void samp_writer_block(struct samp_writer *writer, struct samp_thread *thread,
                       struct samp_wait *wait, const struct samp_lock *lock);

/* It waits no longer. Nothing happens to a wait without a record, or whose record is lapped. */
void samp_writer_block_end(const struct samp_writer *writer, const struct samp_wait *wait,
                           int64_t end_ns);

/* What the system knows of it now. */
void samp_writer_usage(const struct samp_writer *writer, struct samp_thread *thread,
                       const struct beat_usage *usage);

void samp_writer_end(struct samp_writer *writer, struct samp_thread *thread);

/* Find the rings of records of threads that have begun to record. */
void samp_writer_join_rings(const struct samp_writer *writer);

#endif
