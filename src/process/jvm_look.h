/* What a JVM is, as another process sees it, and whether it can be attached to. */

#ifndef PROC_JVM_LOOK_H
#define PROC_JVM_LOOK_H

#include "base/vec.h"
#include "process/foreign.h"

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

#endif
