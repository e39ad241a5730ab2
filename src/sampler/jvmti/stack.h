/* Stacks by JVMTI's GetStackTrace. */

#ifndef SAMPLER_JVMTI_STACK_H
#define SAMPLER_JVMTI_STACK_H

#include "sampler/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* As struct samp_engine has them. */
bool jvmti_stack_ask(struct samp_thread *thread, uint64_t question);
void jvmti_stack_poll(struct samp_thread *thread);
uint32_t jvmti_stack_walk(const struct samp_thread *thread,
                          struct samp_frame frames[SAMP_WAIT_DEPTH]);

/* The same of the calling thread; and where a park is noted, three calls below it. */
uint32_t jvmti_stack_walk_own(struct samp_frame frames[SAMP_WAIT_DEPTH]);
uint32_t jvmti_stack_walk_noted(struct samp_frame frames[SAMP_WAIT_DEPTH]);

#endif
