#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* CPU_COUNT */
#endif
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

unsigned mb_processor_count(void)
{
    cpu_set_t usable;
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    if (sched_getaffinity(0, sizeof(usable), &usable) == 0) { /* fails beyond 1024 processors */
        return (unsigned)CPU_COUNT(&usable);
    }
    return online < 1 ? 1 : (unsigned)online;
}
