/* Takes the stacks of threads at intervals while a session has room for samples
 * (recorder/sections.h), by threads of its own, and puts them into the trace. What a stack is and
 * how it is to be had is the engine's business: nothing here knows a JVM. */

#ifndef SAMPLER_SAMPLER_H
#define SAMPLER_SAMPLER_H

#include "sampler/threads.h"
#include "sampler/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samp_engine {
    uint32_t kind; /* enum abi_sampling_engine; 0: it tells waits for locks, and takes no samples */
    /* The answer is there when ask returns, and may take long: the main thread and the others have
     * a sampler's thread each. */
    bool is_direct;

    /* A sampler's thread begins, and ends. False: it cannot sample. */
    bool (*enter)(void);
    void (*leave)(void);

    /* Have the thread's stack put into its box, as the answer to that question, now or later.
     * Without locks. False: it cannot be asked. */
    bool (*ask)(struct samp_thread *thread, uint64_t question);

    /* The thread has not answered for a while. True: it never will, and is to be asked anew. NULL:
     * it will. */
    bool (*is_lost)(struct samp_thread *thread);

    /* Fill the box, which is full, once more, with the stack at the next safepoint poll: for stacks
     * that cannot be walked where the thread is. Waits for the poll. NULL: of no use. */
    void (*poll)(struct samp_thread *thread);

    /* What it does, as far as the runtime knows: enum abi_sample_state; RUNNING also if it waits
     * for a processor, NATIVE also if it works in native code. */
    uint32_t (*state)(const struct samp_thread *thread);

    /* Names of frames. Without locks. */
    void (*resolve)(const struct samp_frame *frames, size_t count, struct samp_place *places);

    void (*release)(void *handle); /* of a thread that has ended, or of a lock */

    /* About locks; called without the sampler's locks. NULL if the engine does not know them. A
     * lock is the engine's handle. */
    void (*name_lock)(void *lock, char name[ABI_LOCK_NAME_SIZE]);
    void *(*find_parked)(const struct samp_thread *thread); /* or NULL; NULL: threads tell it */

    /* Of a lock of that kind (enum abi_block_kind), which that thread waits for; NULL if unknown.
     * Adds to *stopped_ns how long all threads stood for it. */
    struct samp_thread *(*find_owner)(uint32_t kind, void *lock, const struct samp_thread *waiter,
                                      int64_t *stopped_ns);
    bool (*is_same)(void *lock, void *other);
    uint32_t (*walk)(const struct samp_thread *thread, struct samp_frame frames[SAMP_WAIT_DEPTH]);

    /* Which of the owner's frames takes the lock: set places[].takes of these. NULL: it is not
     * known. */
    void (*find_takers)(uint32_t kind, void *lock, const struct samp_frame *frames, size_t count,
                        struct samp_place *places);
};

/* The engine stays what it is until samp_stop or samp_pause. False: no thread is to be had. */
bool samp_start(const struct samp_engine *engine);

/* Returns when nothing is sampled any more. Without effect if it was not started. */
void samp_stop(void);

/* The same, but samp_start with another engine follows: the ends of waits that last are told. */
void samp_pause(void);

/* Is the calling thread one of the sampler's? */
bool samp_is_own_thread(void);

#endif
