/* A mailbox between a sampler's thread, which asks, and a thread that is sampled, which answers
 * once with its stack: in a signal handler, so that nothing here locks, allocates or waits. */

#ifndef SAMPLER_BOX_H
#define SAMPLER_BOX_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SAMP_DEPTH 1024 /* frames at most; of a deeper stack, the innermost */

#define SAMP_WAIT_DEPTH 128 /* of the stack of a wait */

/* As AsyncGetCallTrace writes them. */
struct samp_frame {
    int32_t bci; /* negative: of a native method */
    void *method;
};

enum samp_box_state {
    SAMP_BOX_FREE,
    SAMP_BOX_ASKED,
    SAMP_BOX_FILLING,
    SAMP_BOX_FULL,
};

/* Zeroed memory is a free one. */
struct samp_box {
    /* Number of the question << 2 | enum samp_box_state. An answer to an old question, of a thread
     * that had this box before, finds another number. */
    _Atomic(uint64_t) state;

    /* The answer. */
    int32_t count; /* of frames, innermost first; not above 0: why they are missing, in the engine's
                      words */
    int64_t time_ns;  /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;  /* CPU time of the thread */
    uint64_t took_ns; /* of its CPU time */
    struct samp_frame frames[SAMP_DEPTH];
};

static inline enum samp_box_state samp_box_state(struct samp_box *box)
{
    /* Acquire pairs with samp_box_end: a full box's answer is there. */
    return (enum samp_box_state)(atomic_load_explicit(&box->state, memory_order_acquire) & 3);
}

/* The asking thread, of a box that is free: returns the number of the question. */
static inline uint64_t samp_box_ask(struct samp_box *box)
{
    uint64_t number = (atomic_load_explicit(&box->state, memory_order_relaxed) >> 2) + 1;

    assert(samp_box_state(box) == SAMP_BOX_FREE);
    /* Release: what was read of the answer before stays before. Pairs with samp_box_begin. */
    atomic_store_explicit(&box->state, number << 2 | SAMP_BOX_ASKED, memory_order_release);
    return number;
}

/* The answering thread. False if that was not asked, or the answer is not awaited any more. */
static inline bool samp_box_begin(struct samp_box *box, uint64_t number)
{
    uint64_t expected = number << 2 | SAMP_BOX_ASKED;

    return atomic_compare_exchange_strong_explicit(&box->state, &expected,
                                                   number << 2 | SAMP_BOX_FILLING,
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline void samp_box_end(struct samp_box *box)
{
    assert(samp_box_state(box) == SAMP_BOX_FILLING);
    /* Release: the answer is there. FILLING and FULL have all bits of ASKED but the lowest. */
    atomic_fetch_add_explicit(&box->state, SAMP_BOX_FULL - SAMP_BOX_FILLING, memory_order_release);
}

/* The asking thread is done with the answer, or gives up the question: false if it is being
 * answered right now. */
static inline bool samp_box_clear(struct samp_box *box)
{
    uint64_t now = atomic_load_explicit(&box->state, memory_order_relaxed);

    return (now & 3) != SAMP_BOX_FILLING &&
           atomic_compare_exchange_strong_explicit(&box->state, &now, now >> 2 << 2,
                                                   memory_order_release, memory_order_relaxed);
}

#endif
