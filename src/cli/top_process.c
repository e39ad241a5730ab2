#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dup3 */
#endif

#include "cli/top_process.h"

#include "process/status.h"
#include "process/trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The file itself: what the path leads to may be another's. */
static enum mb_status put_path(struct top_process *process, struct mb_error *err)
{
    mb_buf_printf(&process->path, "/proc/self/fd/%d", process->fd);
    mb_buf_put_u1(&process->path, '\0');
    return mb_buf_check(&process->path, err);
}

/* A map beside the trace is read where the process can read no less than we. */
static enum mb_status put_folders(struct top_process *process, const struct proc_trace *trace,
                                  const char *folders, struct mb_error *err)
{
    const char *end = strrchr(trace->path, '/');
    uid_t user;
    gid_t group;

    if (folders != NULL) {
        mb_buf_printf(&process->folders, "%s:", folders);
    }
    if (end != NULL && proc_user((pid_t)process->pid, &user, &group) && user == geteuid()) {
        mb_buf_printf(&process->folders, "/proc/%" PRIu64 "/root%.*s", process->pid,
                      (int)(end - trace->path), trace->path);
    }
    mb_buf_put_u1(&process->folders, '\0');
    return mb_buf_check(&process->folders, err);
}

/* What a killed attach left is taken over. */
enum mb_status cli_top_process_find(struct top_process *process, uint64_t pid, const char *folders,
                                    struct mb_error *err)
{
    enum mb_status status = MB_OK;
    struct proc_trace trace;

    if (proc_trace_find_below(&pid) != PROC_TRACE_FOUND) {
        return MB_OK;
    }
    if (proc_trace_find(&trace, pid) == PROC_TRACE_FOUND && proc_trace_is_open(&trace) &&
        !proc_attachment_is_left((pid_t)pid, trace.path)) {
        process->pid = pid;
        process->fd = trace.fd;
        trace.fd = -1;
        status = put_folders(process, &trace, folders, err);
        if (status == MB_OK) {
            status = put_path(process, err);
        }
    }
    proc_trace_finish(&trace);
    return status;
}

static bool is_closed(int fd)
{
    struct abi_trace_header header;

    return pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
           header.state == ABI_TRACE_CLOSED;
}

void cli_top_process_renew(struct top_process *process)
{
    struct proc_trace trace;

    if (process->is_attached || process->fd < 0 || !is_closed(process->fd)) {
        return;
    }
    if (proc_trace_find(&trace, process->pid) == PROC_TRACE_FOUND && proc_trace_is_open(&trace)) {
        (void)dup3(trace.fd, process->fd, O_CLOEXEC);
    }
    proc_trace_finish(&trace);
}

enum mb_status cli_top_process_attach(struct top_process *process, uint64_t pid,
                                      const char *library, const struct proc_agent_options *probes,
                                      struct mb_error *err)
{
    const struct proc_attachment_wish wish = {.agent = *probes};
    enum mb_status status = proc_attachment_open(&process->attachment, (pid_t)pid, library, err);

    if (status != MB_OK) {
        proc_attachment_finish(&process->attachment);
        return status;
    }
    process->is_attached = true;
    MB_TRY(proc_attachment_start(&process->attachment, &wish, err));
    MB_TRY(proc_attachment_open_trace(&process->attachment, &process->fd, err));
    return put_path(process, err);
}

enum mb_status cli_top_process_close(struct top_process *process, struct mb_error *err)
{
    enum mb_status status = MB_OK;

    if (process->fd >= 0) {
        (void)close(process->fd);
    }
    if (process->fd >= 0 && process->is_attached) {
        status = proc_attachment_stop(&process->attachment, 0, err);
        proc_attachment_discard(&process->attachment);
    }
    if (process->is_attached) {
        proc_attachment_tell_rest(&process->attachment, "top");
        proc_attachment_finish(&process->attachment);
    }
    mb_buf_finish(&process->path);
    mb_buf_finish(&process->folders);
    *process = (struct top_process){.fd = -1};
    return status;
}
