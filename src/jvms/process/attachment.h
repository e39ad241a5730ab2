/* A recording in a JVM that runs already: the agent goes in, its trace comes here, the probes go
 * out again. */

#ifndef PROC_ATTACHMENT_H
#define PROC_ATTACHMENT_H

#include "base/vec.h"
#include "jvms/process/foreign.h"
#include "jvms/process/words.h"

/* How a JVM of HotSpot's that runs is asked to load a library. */

struct proc_jvm_request {
    const char *library; /* an agent, as the JVM sees files */
    const char *options;
    unsigned most_ms;
    const char *advice; /* for classes that take longer, as soon as their pace tells; or NULL */
    proc_wait_fn *wait; /* as in foreign.h */
};

enum proc_jvm_outcome {
    PROC_JVM_NOT_ASKED,
    PROC_JVM_PENDING, /* asked, perhaps, and not answered yet */
    PROC_JVM_GOING,   /* not answered yet; it is changing classes */
    PROC_JVM_ANSWERED,
};

/* Have it load the agent, and wait until that has done what options say. MB_IO with the JVM's own
 * words, or those for what the agent returned, if it refuses. */
MB_MUST_CHECK enum mb_status proc_jvm_load(const struct proc_foreign *jvm,
                                           const struct proc_jvm_request *request,
                                           enum proc_jvm_outcome *outcome, struct mb_error *err);

/* Ask and go: the JVM does it when it comes to it. False if it cannot be asked. */
bool proc_jvm_post(const struct proc_foreign *jvm, const struct proc_jvm_request *request);

/* What remains of an attach that was given up. */
enum proc_attachment_rest {
    PROC_REST_NOTHING,
    PROC_REST_ASKED, /* the JVM ends the recording, and takes the probes out, as it comes to it */
    PROC_REST_RECORDING,
};

struct proc_attachment {
    struct proc_foreign jvm;
    int lock;        /* no other methodbeat attaches while it is open; -1: not yet */
    char *library;   /* the agent, as the JVM sees it */
    bool is_copy;    /* made by methodbeat, to be removed there */
    char trace[128]; /* the recording, as the JVM sees it */
    bool has_probes; /* not only samples */
    enum proc_attachment_rest rest;
};

struct proc_attachment_wish {
    struct proc_agent_options agent;
    const union mb_words *settings; /* of the recorder: "name=value" */
    bool leaves;                    /* the recording is to stay there */
    unsigned most_ms;               /* until it begins; 0: the default, a minute */
    const char *advice;             /* as in jvm.h */
    proc_wait_fn *wait;             /* called meanwhile, or NULL */
};

/* Open the JVM and see to it that it can load the agent, of which library is our path: where its
 * user cannot read that file, there is a copy in its /tmp until it is loaded. Nothing is recorded
 * yet. Removes what killed methodbeat processes left behind. Refuses a JVM that another one is
 * attached to, or that records by itself.
 * All functions here fail with an error that names the process, or the file that is at fault.
 * Release with proc_attachment_finish, also if it fails. */
MB_MUST_CHECK enum mb_status proc_attachment_open(struct proc_attachment *attachment, pid_t pid,
                                                  const char *library, struct mb_error *err);

/* Put the probes in and begin to record. If it fails, they are out again, or rest says more. */
MB_MUST_CHECK enum mb_status proc_attachment_start(struct proc_attachment *attachment,
                                                   const struct proc_attachment_wish *wish,
                                                   struct mb_error *err);

/* End the recording and take the probes out; only a signal that comes from now on ends the wait.
 * MB_OK too if the process has ended, or is still taking them out at the end of the time. */
MB_MUST_CHECK enum mb_status proc_attachment_stop(struct proc_attachment *attachment,
                                                  const struct proc_attachment_wish *wish,
                                                  struct mb_error *err);

/* Prints "methodbeat COMMAND: " and what remains there, if anything, on standard error. */
void proc_attachment_tell_rest(const struct proc_attachment *attachment, const char *command);

/* True if the recording belongs to a dead methodbeat process and may be replaced. */
bool proc_attachment_is_left(pid_t pid, const char *trace);

/* The recording as a file that is open for reading, also while it is being written; the caller
 * closes it. MB_IO unless it is a regular file of the process's own user. */
MB_MUST_CHECK enum mb_status proc_attachment_open_trace(const struct proc_attachment *attachment,
                                                        int *fd, struct mb_error *err);

/* Copy the recording to a file here, which is empty. */
MB_MUST_CHECK enum mb_status proc_attachment_fetch(const struct proc_attachment *attachment, int to,
                                                   struct mb_error *err);

/* Have it stay there, under a name that no other of us removes. */
void proc_attachment_keep(struct proc_attachment *attachment);

/* Remove the recording there. */
void proc_attachment_discard(const struct proc_attachment *attachment);

void proc_attachment_finish(struct proc_attachment *attachment);

#endif
