/* What the kernel tells of a thread of this process. */

#ifndef SAMPLER_TASK_H
#define SAMPLER_TASK_H

#include <stdbool.h>
#include <stdint.h>

/* It runs, or could if it had a processor. False too if it has ended, or nobody tells (proc(5),
 * /proc/PID/task/TID/stat). */
bool samp_task_is_runnable(uint32_t thread_id);

#endif
