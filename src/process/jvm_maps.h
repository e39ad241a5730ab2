/* Which JVM a process is, by the libraries that it has loaded. */

#ifndef PROC_JVM_MAPS_H
#define PROC_JVM_MAPS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct proc_jvm_maps {
    char library[PATH_MAX]; /* libjvm.so, as the process sees it; "": it has none */
    bool is_openj9;
    bool is_musl;         /* its C library is not glibc */
    bool has_recorder;    /* our agent or our library */
    char agent[PATH_MAX]; /* our agent, as the process sees it; "": it has none */
};

/* False if the process may not be asked, or has ended. */
bool proc_jvm_maps_read(struct proc_jvm_maps *maps, pid_t pid);

#endif
