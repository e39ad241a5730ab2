/* The trace that a running process records into, reached through the files it has open. */

#ifndef PROC_TRACE_H
#define PROC_TRACE_H

#include "abi/control.h"

#include <stdint.h>

enum proc_trace_found {
    PROC_TRACE_FOUND,
    PROC_TRACE_NO_PROCESS,
    PROC_TRACE_NOT_OURS, /* another user's */
    PROC_TRACE_NO_TRACE, /* it does not record, or into memory only */
    PROC_TRACE_SEVERAL,  /* several processes below it record */
};

struct proc_trace {
    struct abi_trace_header header; /* as it was when it was read */
    char *path;                     /* as the process's file system has it, or had */
    int fd;                         /* the file, open for reading */
};

/* Find the trace of a process. If the process has none itself, as `run` or a shell, *process_id
 * becomes that of the process below it, at any depth, that has. */
enum proc_trace_found proc_trace_find_below(uint64_t *process_id);

/* Call for each process at or below this one, at most 1,024; it is not asked whether they record.
 */
typedef void proc_each_fn(void *context, uint64_t process_id);
void proc_each_below(uint64_t process_id, proc_each_fn *each, void *context);

/* Find it; nothing of the file is mapped, since the process may cut it short at any time. Release
 * with proc_trace_finish, also if it is not found. */
enum proc_trace_found proc_trace_find(struct proc_trace *trace, uint64_t process_id);

/* Read its header again. False if the file has become too short. */
bool proc_trace_renew(struct proc_trace *trace);

/* Renew it, and put a request there, whose number is *number then. False if another one is not
 * answered yet, the recorder does not listen, or the file cannot be written. */
bool proc_trace_ask(struct proc_trace *trace, enum abi_control_command command, uint64_t *number);

/* It was recording when it was read. */
bool proc_trace_is_open(const struct proc_trace *trace);

void proc_trace_finish(struct proc_trace *trace);

#endif
