/* How many threads can run at the same time. */

#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

/* Processors that the calling thread may use (taskset, cpusets of containers); at least 1. */
unsigned mb_processor_count(void);

#endif
