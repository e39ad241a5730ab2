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

/* The JVM has made code there: what returns to it are callers from which a stack can be walked. Any
 * thread. */
void agent_agct_note_code(const void *code, size_t size);

/* One stack at once, without a sampler, of a thread that cannot end meanwhile: the innermost frames
 * first, at most so many. Returns how many; not above 0: why there are none, as
 * AsyncGetCallTrace says, or 0 if the thread does not answer. For one thread at a time. */
int32_t agent_agct_look(uint32_t thread_id, struct samp_frame *frames, int32_t most);

#endif
