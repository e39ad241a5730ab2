/* One thread of the program, as the sampler looks at it: whether it has run, the question for its
 * stack, and the answer. On the thread that samples its group, without locks. */

#ifndef SAMPLER_LOOK_H
#define SAMPLER_LOOK_H

#include "sampler/group.h"

#include <stdint.h>

/* Ask a thread that has run since its last answer. */
void samp_look_ask(struct samp_group *group, struct samp_thread *thread, int64_t now_ns);

/* Take an answer that is there, unless it has to be polled for and other polls took long. */
void samp_look_collect(struct samp_group *group, struct samp_thread *thread);

#endif
