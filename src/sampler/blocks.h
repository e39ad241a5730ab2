/* Threads that cannot go on for a lock (struct abi_block). Of monitors, and of Object.wait where it
 * takes a second or more, the runtime tells begin and end; who parks is seen as it is sampled. The
 * owner of a lock is asked for once, and only if the wait is long, since the answer may stop all
 * threads. */

#ifndef SAMPLER_BLOCKS_H
#define SAMPLER_BLOCKS_H

#include "sampler/sampler.h"
#include "sampler/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* The calling thread begins to wait for a monitor, or in Object.wait. Takes lock over; false if it
 * does not. */
bool samp_block_begin(uint32_t thread_id, uint32_t kind, void *lock);

/* It goes on. The lock for the caller to release, if nobody needs it; or NULL. */
void *samp_block_end(uint32_t thread_id);

/* Write what there is of a group's threads. On the thread that samples them, without locks. */
void samp_blocks_write(struct samp_writer *writer, const struct samp_engine *engine, bool is_main,
                       int64_t now_ns);

/* A thread that was parked runs again, since before that time. Likewise. */
void samp_blocks_unpark(struct samp_writer *writer, const struct samp_engine *engine,
                        struct samp_thread *thread, int64_t time_ns);

/* Release all locks: nothing is sampled any more. On a thread of the sampler. */
void samp_blocks_forget(const struct samp_engine *engine);

/* In a forked child. */
void samp_blocks_abandon(void);

#endif
