/* methodbeat top, internals: the trace of a running process. One that records already is looked at;
 * a JVM without probes gets them for as long as it is watched. */

#ifndef CLI_TOP_PROCESS_H
#define CLI_TOP_PROCESS_H

#include "process/attachment.h"

#include <stdint.h>

struct top_process {
    struct proc_attachment attachment;
    bool is_attached;
    uint64_t pid;          /* of one that records by itself */
    int fd;                /* its trace; -1: none */
    struct mb_buf path;    /* where that can be opened, terminated */
    struct mb_buf folders; /* where its method map may lie, likewise; empty if attached */
};

/* The trace that the process, or the one below it that has one, is writing; the path stays empty if
 * it records nothing. folders are those that were asked for, or NULL. */
MB_MUST_CHECK enum mb_status cli_top_process_find(struct top_process *process, uint64_t pid,
                                                  const char *folders, struct mb_error *err);

/* Have the path lead to the trace that it writes now, if that is another. */
void cli_top_process_renew(struct top_process *process);

/* Put probes in, and find the trace that it records then. library is the agent. */
MB_MUST_CHECK enum mb_status cli_top_process_attach(struct top_process *process, uint64_t pid,
                                                    const char *library,
                                                    const struct proc_agent_options *probes,
                                                    struct mb_error *err);

/* Take the probes out again, and the trace away, if they are ours. Accepts zeroed memory with fd
 * -1, and what failed. */
MB_MUST_CHECK enum mb_status cli_top_process_close(struct top_process *process,
                                                   struct mb_error *err);

#endif
