/* What belongs to another process, which may be hostile, and what it takes to touch it: a child of
 * ours becomes the process's user, without capabilities, in the process's root and working folder.
 * So links lead where they lead the process, rights are its own, and what it makes us wait for is
 * given up by ending the child: at a signal, after a time, or when the process stands still. */

#ifndef PROC_FOREIGN_H
#define PROC_FOREIGN_H

#include "base/buf.h"

#include <stdbool.h>
#include <sys/types.h>

/* A process, perhaps in a container. */
struct proc_foreign {
    pid_t pid;
    pid_t own_pid; /* as it numbers itself */
    uid_t uid;     /* the effective ones */
    gid_t gid;
    int root; /* its folders, which outlive it; -1: they are not to be had */
    int cwd;
    int users;       /* its user namespace */
    bool has_mounts; /* of its own */
};

#define PROC_FOREIGN_BYTES ((size_t)1 << 20) /* at most, of a file or of what a child has */

/* What the child has for its caller. */
struct proc_foreign_work {
    struct mb_buf out; /* bytes, at most 1 MB */
    int file;          /* or -1 */
    bool is_done;      /* before has done it all: the child does not become the user */
};

typedef enum mb_status proc_foreign_fn(void *context, struct proc_foreign_work *work,
                                       struct mb_error *err);

/* How far something is that is waited for. */
struct proc_progress {
    int64_t ns; /* since it was asked for */
    uint64_t done;
    uint64_t all; /* 0: not known yet */
};

typedef void proc_wait_fn(const struct proc_progress *progress);

struct proc_foreign_errand {
    proc_foreign_fn *before; /* as whom we are; or NULL */
    proc_foreign_fn *run;    /* as the process's user */
    void *context;           /* the child's copy */
    unsigned most_ms;
    bool is_asking;          /* the process has to answer: it must not stand still */
    bool is_last;            /* a signal that asks us to stop has been seen already */
    proc_wait_fn *wait;      /* called meanwhile, ten times a second; or NULL */
    struct proc_progress at; /* as it begins; wait sees the time grow */
    bool *is_given_up;       /* the child was ended before it had done it; or NULL */
};

/* False if no such process exists. Release with proc_foreign_finish, also then. */
bool proc_foreign_open(struct proc_foreign *process, pid_t pid);
void proc_foreign_finish(struct proc_foreign *process);

/* False once it has ended, also while its parent has not asked for its exit code. */
bool proc_foreign_is_alive(const struct proc_foreign *process);

#define PROC_FOREIGN_STOPPED "it is stopped, by a signal or a debugger: it cannot answer"

bool proc_foreign_is_stopped(const struct proc_foreign *process);

/* Have a child do it, and take over what it has: bytes are appended to out, a file goes to *file;
 * both may be NULL. The error is the child's; MB_INTERRUPTED, or MB_IO, if it was given up. */
MB_MUST_CHECK enum mb_status proc_foreign_run(const struct proc_foreign *process,
                                              const struct proc_foreign_errand *errand,
                                              struct mb_buf *out, int *file, struct mb_error *err);

/* ---- What methodbeat puts in its /tmp for a while, and what killed ones left there ---- */

/* Names below /tmp, each followed by the process's own number and a '-'. */
#define PROC_LEFTOVER_TRACE ".methodbeat-"
#define PROC_LEFTOVER_LIBRARY "libmethodbeat-agent-"

/* In the user's place: remove those of processes that have ended, a minute after they
 * were last written; of this one, too, if no other methodbeat is attached to it. Traces that
 * are being written stay. */
void proc_leftovers_remove(pid_t own_pid, bool is_ours);

#endif
