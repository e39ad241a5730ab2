/* What the recorder of a running process is asked for, through its trace, and what came of it. */

#ifndef PROC_REQUEST_H
#define PROC_REQUEST_H

#include "jvms/process/attachment.h"
#include "jvms/process/trace.h"

#include <stdint.h>

enum proc_answer {
    PROC_ANSWER_THERE,
    PROC_ANSWER_LATE,    /* none came in time */
    PROC_ANSWER_ENDED,   /* the process ended before */
    PROC_ANSWER_STOPPED, /* it stopped recording before */
    PROC_ANSWER_DEAF,    /* the recorder does not listen */
    PROC_ANSWER_CUT,     /* the trace was cut short */
};

struct proc_request {
    uint64_t process_id;
    enum abi_control_command command;
    int64_t end_ns; /* of the time to wait, by the monotonic clock */
};

/* Ask, and wait for the answer. trace is the one found; once there is an answer, it is the one that
 * has it, in header.answered, and *number that of the request. */
enum proc_answer proc_request(const struct proc_request *request, struct proc_trace *trace,
                              uint64_t *number);

/* Have the process and those below it stop recording, and wait until each has, at most 10 s.
 * Returns how many did. */
size_t proc_stop_below(uint64_t process_id);

/* The recording of a running process, to be watched. One that records already is looked at;
 * a JVM without probes gets them for as long as it is watched. */

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
