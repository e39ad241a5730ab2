#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* CPU_COUNT */
#endif
#include "base/processors.h"

#include <sched.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

unsigned mb_processor_count(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
    cpu_set_t usable;

    if (sched_getaffinity(0, sizeof(usable), &usable) == 0) { /* fails beyond 1024 processors */
        return (unsigned)CPU_COUNT(&usable);
    }
#endif
    return online < 1 ? 1 : (unsigned)online;
}

static uint64_t memory_size(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

bool mb_machine_look(struct mb_machine *machine)
{
    struct utsname names;

    if (uname(&names) != 0) {
        return false;
    }
    (void)snprintf(machine->system, sizeof(machine->system), "%s", names.sysname);
    (void)snprintf(machine->release, sizeof(machine->release), "%s", names.release);
    (void)snprintf(machine->processor, sizeof(machine->processor), "%s", names.machine);
    machine->memory = memory_size();
    return true;
}
