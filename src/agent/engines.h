/* How the agent gets the stack of a thread: one function for each engine (sampler/sampler.h). */

#ifndef AGENT_ENGINES_H
#define AGENT_ENGINES_H

#include "sampler/sampler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HotSpot's AsyncGetCallTrace, called by the thread itself in a signal handler. False if this JVM
 * has none, or no signal is free. The handler stays: a signal may be late. */
bool agent_agct_open(void);
bool agent_agct_ask(struct samp_thread *thread, uint64_t question);
bool agent_agct_is_lost(struct samp_thread *thread);

/* Takes one stack without a sampler, innermost frame first, most frames at most. The thread must
 * not end meanwhile. Returns the frame count, an error code of AsyncGetCallTrace (<= 0), or 0 if
 * the thread does not answer. For one thread at a time. */
int32_t agent_agct_look(uint32_t thread_id, struct samp_frame *frames, int32_t most);

#endif
