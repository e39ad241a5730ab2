/* What the kernel tells of a thread of this process. */

#ifndef SAMPLER_TASK_H
#define SAMPLER_TASK_H

#include <stdbool.h>
#include <stdint.h>

/* It runs, or could if it had a processor. False too if it has ended, or that is unknown (proc(5),
 * /proc/PID/task/TID/stat and .../status). */
bool samp_task_is_runnable(uint32_t thread_id);

/* A set of signals of it, by its name there ("SigBlk:"): that of number 1 is the lowest bit. Empty
 * if it has ended, or if they are unknown. */
uint64_t samp_task_signals(uint32_t thread_id, const char *set);

#endif
