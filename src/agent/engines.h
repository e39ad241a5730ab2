/* How the agent gets the stack of a thread: one function for each engine (sampler/sampler.h). */

#ifndef AGENT_ENGINES_H
#define AGENT_ENGINES_H

#include "sampler/sampler.h"

#include <stdbool.h>
#include <stdint.h>

/* HotSpot's AsyncGetCallTrace, called by the thread itself in a signal handler. False if this JVM
 * has none, or no signal is free. The handler stays: a signal may be late. */
bool agent_agct_open(void);
bool agent_agct_ask(struct samp_thread *thread, uint64_t question);

/* JVMTI's GetStackTrace. */
bool agent_stack_ask(struct samp_thread *thread, uint64_t question);

#endif
