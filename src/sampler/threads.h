/* The threads that can be sampled. They come and go by themselves; a sampler's thread looks at
 * them one after the other, and asks the kernel about some. */

#ifndef SAMPLER_THREADS_H
#define SAMPLER_THREADS_H

#include "abi/sampling.h"
#include "recorder/usage.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A mailbox between a sampler's thread, which asks, and a thread that is sampled, which answers
 * once with its stack: in a signal handler, so that nothing here locks, allocates or waits. */

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

#define SAMP_MOST_THREADS 4096u /* beyond, threads are not sampled */

#define SAMP_DEAF 2u /* questions lost: by then, the thread cannot be asked by signals */

enum samp_thread_state {
    SAMP_THREAD_FREE,
    SAMP_THREAD_LIVE,
    SAMP_THREAD_ENDED, /* the sampler has not heard of it yet */
};

/* What the sampler knows of the session that it writes to. */
struct samp_track {
    uint32_t session;        /* 0: of none */
    uint32_t row;            /* in SAMPLE_THREADS */
    bool has_own_row;        /* no thread had it before */
    uint32_t lookups;        /* of its row in the profile */
    uint32_t node;           /* of the last sample, or ABI_STACK_NO_NODE */
    uint32_t state;          /* of it, until now; enum abi_sample_state */
    bool was_running;        /* when it was taken */
    uint64_t position;       /* of it, in SAMPLES */
    uint64_t since;          /* when the last sample began */
    uint64_t until;          /* what the last sample stands for ends here; 0: no sample yet */
    uint64_t cpu_ns;         /* at the last sample */
    _Atomic(uint64_t) *cell; /* of its `until`; NULL: the ring has lapped it, or never had it */
};

/* For a lock. */
struct samp_wait {
    uint32_t kind;     /* enum abi_block_kind */
    int64_t begin_ns;  /* CLOCK_MONOTONIC; 0: it does not wait */
    int64_t end_ns;    /* CLOCK_MONOTONIC; 0: it waits still */
    void *lock;        /* the engine's handle; NULL if unknown */
    bool is_used;      /* the sampler has that */
    uint32_t session;  /* whose BLOCKS have a record of it; 0 if none */
    uint64_t position; /* there */
};

struct samp_thread {
    _Atomic(uint32_t) state; /* enum samp_thread_state */
    uint32_t thread_id;
    bool is_main;
    char name[ABI_TRACE_NAME_SIZE];
    void *handle; /* the engine's */
    int64_t added_ns;
    struct beat_usage began; /* what it had used by then, */
    struct beat_usage ended; /* and at its end, as it said itself */

    /* Of the thread that samples it. */
    uint32_t lost;       /* questions in a row, of the engine's; SAMP_DEAF for good */
    int64_t patience_ns; /* until then, an answer may be on its way */
    int64_t asked_ns;    /* when; it ran no code from then to its answer, or the engine is direct */
    bool is_known;       /* there was an answer: */
    uint64_t seen_cpu_ns;   /* its CPU clock then */
    int64_t seen_ns;        /* until when that holds */
    void *root;             /* the method of its outermost frame; NULL: not known yet */
    struct beat_usage told; /* the trace has it, of session: */
    uint32_t told_session;
    bool is_idle;   /* in this tick */
    uint32_t doing; /* enum abi_sample_state, in this tick */
    struct samp_track track;
    struct samp_wait parked;  /* as a sample saw it */
    struct samp_wait blocked; /* as it tells itself; see sampler/blocks.c */
    struct samp_box box;
};

static inline uint32_t samp_thread_state(struct samp_thread *thread)
{
    /* Acquire pairs with the release in samp_threads_add: one that is not free is described. */
    return atomic_load_explicit(&thread->state, memory_order_acquire);
}

/* Once in a process; false without memory. */
bool samp_threads_init(void);

/* The calling thread, or another that cannot end meanwhile, is to be sampled. Takes handle over.
 * False without room, or if it is there already. */
bool samp_threads_add(const struct samp_thread *description);

/* Threads without samples, in the life of the process: those for which there was no room, and those
 * that are told here. */
void samp_threads_leave_out(uint64_t count);
uint64_t samp_threads_left_out(void);

/* The thread with that id ends. Returns once it gets no more signals. */
void samp_threads_end(uint32_t thread_id);

/* The calling thread's, whose id that is; NULL: it is not sampled. */
struct samp_thread *samp_threads_own(uint32_t thread_id);

/* Numbers below may be in use. */
uint32_t samp_threads_count(void);
struct samp_thread *samp_threads_at(uint32_t number);
uint32_t samp_threads_number(const struct samp_thread *thread);

/* For a question by a signal: while the lock is held, no live thread ends. */
bool samp_threads_lock_live(struct samp_thread *thread);
void samp_threads_unlock(void);

/* An ended one may be taken for another thread. False while its answer is on its way. */
bool samp_threads_free(struct samp_thread *thread);

/* In a forked child, which has none of them. */
void samp_threads_abandon(void);

/* ---- What the kernel tells of a thread of this process ---- */

/* It runs, or could if it had a processor. False too if it has ended, or that is unknown (proc(5),
 * /proc/PID/task/TID/stat and .../status). */
bool samp_task_is_runnable(uint32_t thread_id);

/* A set of signals of it, by its name there ("SigBlk:"): that of number 1 is the lowest bit. Empty
 * if it has ended, or if they are unknown. */
uint64_t samp_task_signals(uint32_t thread_id, const char *set);

#endif
