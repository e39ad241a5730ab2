/* The recording of a running process, to be watched. One that records already is looked at;
 * a JVM without probes gets them for as long as it is watched. */

#ifndef PROC_RECORDING_H
#define PROC_RECORDING_H

#include "process/attachment.h"

#include <stdint.h>

struct proc_recording {
    struct proc_attachment attachment;
    bool is_attached;
    uint64_t pid;          /* of one that records by itself */
    int fd;                /* its trace; -1 if none */
    struct mb_buf path;    /* where that can be opened, terminated */
    struct mb_buf folders; /* where its method map may lie, terminated; empty if attached */
};

/* The trace that the process, or the one below it that has one, is writing; the path stays empty if
 * it records nothing. folders are those that were asked for, or NULL. */
MB_MUST_CHECK enum mb_status proc_recording_find(struct proc_recording *recording, uint64_t pid,
                                                 const char *folders, struct mb_error *err);

/* Have the path lead to the trace that it writes now, if that is another. */
void proc_recording_renew(struct proc_recording *recording);

/* Put probes in as wish says, and find the trace that it records then. library is the agent. */
MB_MUST_CHECK enum mb_status proc_recording_attach(struct proc_recording *recording, uint64_t pid,
                                                   const char *library,
                                                   const struct proc_attachment_wish *wish,
                                                   struct mb_error *err);

/* Take the probes out again, and the trace away, if they are ours. Accepts zeroed memory with fd
 * -1, and what failed. */
MB_MUST_CHECK enum mb_status proc_recording_close(struct proc_recording *recording,
                                                  struct mb_error *err);

#endif
