/* The trace that a running process records into, reached through the files it has open. */

#ifndef CLI_CONTROL_TRACE_H
#define CLI_CONTROL_TRACE_H

#include "abi/tracefile.h"

#include <stdint.h>

enum cli_control_found {
    CLI_CONTROL_FOUND,
    CLI_CONTROL_NO_PROCESS,
    CLI_CONTROL_NOT_OURS, /* another user's */
    CLI_CONTROL_NO_TRACE, /* it does not record, or into memory only */
    CLI_CONTROL_OLD,      /* its recorder is too old for requests */
    CLI_CONTROL_SEVERAL,  /* several processes below it record */
};

struct cli_control_trace {
    struct abi_trace_header header;  /* as it was when it was found */
    struct abi_trace_header *shared; /* the file's own; NULL: not yet */
    char *path;                      /* as the process's file system has it, or had */
    int fd;                          /* the file, open for reading */
};

/* Find the trace of a process. If the process has none itself, as `run` or a shell, *process_id
 * becomes that of the process below it, at any depth, that has. */
enum cli_control_found cli_control_find_below(uint64_t *process_id);

/* Call for each process at or below this one, at most 1,024; it is not asked whether they record.
 */
typedef void cli_process_fn(void *context, uint64_t process_id);
void cli_control_each_below(uint64_t process_id, cli_process_fn *each, void *context);

/* Find it; nothing of the file is mapped, since the process may cut it short at any time. Release
 * with cli_control_trace_finish, also if it is not found. */
enum cli_control_found cli_control_trace_find(struct cli_control_trace *trace, uint64_t process_id);

/* Find it and share its header, to ask its recorder: the process can then end ours. */
enum cli_control_found cli_control_trace_share(struct cli_control_trace *trace,
                                               uint64_t process_id);

/* It was recording when it was found. */
bool cli_control_trace_is_open(const struct cli_control_trace *trace);

void cli_control_trace_finish(struct cli_control_trace *trace);

#endif
