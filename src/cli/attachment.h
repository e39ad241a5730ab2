/* A recording in a JVM that runs already: the agent goes in, its trace comes here, the probes go
 * out again. */

#ifndef CLI_ATTACHMENT_H
#define CLI_ATTACHMENT_H

#include "cli/agent_options.h"
#include "cli/jvm.h"

struct cli_attachment {
    struct cli_jvm jvm;
    int folder;      /* its /tmp, open, also when it has ended; -1: not yet */
    int lock;        /* no other of us attaches while it is open; -1: likewise */
    char *library;   /* the agent, as the JVM sees it */
    char trace[128]; /* the recording, likewise */
};

struct cli_attachment_wish {
    struct cli_agent_options agent;
    const struct mb_buf *settings; /* of the recorder: const char *, "name=value" */
};

/* Open the JVM and see to it that it can load the agent, of which library is our path: where it
 * does not see that file, as in a container, a copy is left in its /tmp. Nothing is recorded yet.
 * Refuses a JVM that another process of ours is attached to, or that records by itself.
 * All functions here fail with an error that names the process, or the file that is at fault.
 * Release with cli_attachment_finish, also if it fails. */
MB_MUST_CHECK enum mb_status cli_attachment_open(struct cli_attachment *attachment, pid_t pid,
                                                 const char *library, struct mb_error *err);

/* Put the probes in and begin to record. */
MB_MUST_CHECK enum mb_status cli_attachment_start(const struct cli_attachment *attachment,
                                                  const struct cli_attachment_wish *wish,
                                                  struct mb_error *err);

/* End the recording and take the probes out. MB_OK too if the process has ended. */
MB_MUST_CHECK enum mb_status cli_attachment_stop(const struct cli_attachment *attachment,
                                                 struct mb_error *err);

bool cli_attachment_is_alive(const struct cli_attachment *attachment);

/* The recording as a file that is open for reading, also while it is being written; the caller
 * closes it. MB_IO unless it is a regular file of the process's own user. */
MB_MUST_CHECK enum mb_status cli_attachment_open_trace(const struct cli_attachment *attachment,
                                                       int *fd, struct mb_error *err);

/* Copy the recording to a file here, and remove it there. */
MB_MUST_CHECK enum mb_status cli_attachment_fetch(const struct cli_attachment *attachment,
                                                  const char *to, struct mb_error *err);

/* Remove the recording there. */
void cli_attachment_discard(const struct cli_attachment *attachment);

void cli_attachment_finish(struct cli_attachment *attachment);

#endif
