/* Stacks by JVMTI's GetStackTrace. */

#ifndef JVMTI_STACK_H
#define JVMTI_STACK_H

#include "sampler/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* As struct samp_engine has them. */
bool jvmti_stack_ask(struct samp_thread *thread, uint64_t question);
void jvmti_stack_poll(struct samp_thread *thread);

#endif
