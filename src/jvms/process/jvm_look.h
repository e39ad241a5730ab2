/* What a JVM is, as another process sees it, and whether it can be attached to. */

#ifndef PROC_JVM_LOOK_H
#define PROC_JVM_LOOK_H

#include "base/error.h"
#include "base/vec.h"
#include "jvms/process/foreign.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct proc_jvm_entry {
    pid_t pid;
    uid_t uid;
    char version[32];   /* "17.0.15"; "" if unknown */
    char program[512];  /* as proc_jvm_program says */
    char arguments[64]; /* their first ones */
    char refusal[160];  /* why it cannot be attached to, a clause; "": it can */
    bool is_recording;
};

MB_VEC_TYPE(proc_jvms, struct proc_jvm_entry);

/* Open the process: MB_IO, and what to do about it, unless it is a HotSpot JVM that may be asked.
 * Release with proc_foreign_finish, also then. */
MB_MUST_CHECK enum mb_status proc_jvm_open(struct proc_foreign *process, pid_t pid,
                                           struct mb_error *err);

/* Append each, by its number. Those of other users are known by their
 * command line only. Fails without /proc. */
MB_MUST_CHECK enum mb_status proc_jvm_list(union proc_jvms *entries, struct mb_error *err);

/* The name of a user, or the number. */
void proc_user_name(uid_t uid, char *name, size_t size);

/* ---- JVMs by the name of the program ---- */

/* Append those whose main class, jar or module has that name, whole or without package, folder and
 * ".jar"; else those whose program has it as a part. */
MB_MUST_CHECK enum mb_status proc_jvm_find(union proc_jvms *matches, const char *name,
                                           struct mb_error *err);

/* ---- One recording of a process at a time: a lock that ends with its holder ---- */

/* True if no process held the lock; from here on, this one does, until it ends. */
bool proc_jvm_is_free(pid_t pid);

/* Hold the lock while *fd is open; -1 where the system has none to offer. MB_IO that names the
 * holder if another process holds it. */
MB_MUST_CHECK enum mb_status proc_jvm_lock(pid_t pid, int *fd, struct mb_error *err);

/* ---- Which JVM a process is, by the libraries that it has loaded ---- */

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
