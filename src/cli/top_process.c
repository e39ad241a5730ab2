#include "cli/top_process.h"

#include "process/trace.h"

#include <inttypes.h>
#include <unistd.h>

/* What a killed attach left is taken over. */
enum mb_status cli_top_process_find(struct top_process *process, uint64_t pid, struct mb_error *err)
{
    struct proc_trace trace;

    if (proc_trace_find_below(&pid) != PROC_TRACE_FOUND) {
        return MB_OK;
    }
    if (proc_trace_find(&trace, pid) == PROC_TRACE_FOUND && proc_trace_is_open(&trace) &&
        !proc_attachment_is_left((pid_t)pid, trace.path)) {
        mb_buf_printf(&process->path, "/proc/%" PRIu64 "/root%s", pid, trace.path);
        mb_buf_put_u1(&process->path, '\0');
    }
    proc_trace_finish(&trace);
    return mb_buf_check(&process->path, err);
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
    mb_buf_printf(&process->path, "/proc/self/fd/%d", process->fd);
    mb_buf_put_u1(&process->path, '\0');
    return mb_buf_check(&process->path, err);
}

enum mb_status cli_top_process_close(struct top_process *process, struct mb_error *err)
{
    enum mb_status status = MB_OK;

    if (process->fd >= 0) {
        (void)close(process->fd);
        status = proc_attachment_stop(&process->attachment, 0, err);
        proc_attachment_discard(&process->attachment);
    }
    if (process->is_attached) {
        proc_attachment_tell_rest(&process->attachment, "top");
        proc_attachment_finish(&process->attachment);
    }
    mb_buf_finish(&process->path);
    *process = (struct top_process){.fd = -1};
    return status;
}
