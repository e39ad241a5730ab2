/* methodbeat top, internals: the trace of a running process. One that records already is looked at;
 * a JVM without probes gets them for as long as it is watched. */

#ifndef CLI_TOP_PROCESS_H
#define CLI_TOP_PROCESS_H

#include "process/attachment.h"

#include <stdint.h>

struct top_process {
    struct proc_attachment attachment;
    bool is_attached;
    int fd;             /* of the recording that it was attached for; -1: none */
    struct mb_buf path; /* where its trace can be opened, terminated */
};

/* The path of the trace that the process, or the one below it that has one, is writing; empty if it
 * records nothing. */
MB_MUST_CHECK enum mb_status cli_top_process_find(struct top_process *process, uint64_t pid,
                                                  struct mb_error *err);

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
