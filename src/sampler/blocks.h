/* Threads that cannot go on for a lock (struct abi_block). They tell begin and end themselves, with
 * the stack of each wait of a millisecond or more; or who parks is seen as it is sampled. The owner
 * of a lock is asked for while the wait lasts, and not too often, since the answer may stop all
 * threads. */

#ifndef SAMPLER_BLOCKS_H
#define SAMPLER_BLOCKS_H

#include "sampler/sampler.h"
#include "sampler/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* The calling thread begins to wait. Takes lock over; false if it does not. */
bool samp_block_begin(uint32_t thread_id, uint32_t kind, void *lock);

/* It goes on; walk fills in its own stack, and returns how many frames that has. Returns the lock
 * for the caller to release if it is not needed any more, or NULL. */
void *samp_block_end(uint32_t thread_id, uint32_t (*walk)(struct samp_frame *frames));

/* Write what there is of a group's threads. On the thread that samples them, without locks. */
void samp_blocks_write(struct samp_writer *writer, const struct samp_engine *engine, bool is_main,
                       int64_t now_ns);

/* When to write again, on CLOCK_MONOTONIC; INT64_MAX: once ring is called, which the first thread
 * does that waits. */
int64_t samp_blocks_next(void (*ring)(void), int64_t now_ns);

/* A parked thread runs again, since before that time. On its sampling thread, without locks. */
void samp_blocks_unpark(struct samp_writer *writer, const struct samp_engine *engine,
                        struct samp_thread *thread, int64_t time_ns);

/* An engine ends, and another follows at once: a wait that lasts is told once it ends, by the
 * number of its thread. Then, threads may be forgotten. On a thread of the sampler, as is: */
void samp_blocks_leave(const struct samp_engine *engine);

/* Release all locks: nothing is sampled any more. */
void samp_blocks_forget(const struct samp_engine *engine);

/* In a forked child. */
void samp_blocks_abandon(void);

#endif
