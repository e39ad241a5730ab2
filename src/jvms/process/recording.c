#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dup3 */
#endif

#include "jvms/process/request.h"

#include "jvms/process/status.h"
#include "jvms/process/trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The file itself: what the path leads to may be another's. */
static enum mb_status put_path(struct proc_recording *recording, struct mb_error *err)
{
    mb_buf_printf(&recording->path, "/proc/self/fd/%d", recording->fd);
    mb_buf_put_u1(&recording->path, '\0');
    return mb_buf_check(&recording->path, err);
}

/* A map beside the trace is read where the process can read no less than we. */
static enum mb_status put_folders(struct proc_recording *recording, const struct proc_trace *trace,
                                  const char *folders, struct mb_error *err)
{
    const char *end = strrchr(trace->path, '/');
    uid_t user;
    gid_t group;

    if (folders != NULL) {
        mb_buf_printf(&recording->folders, "%s:", folders);
    }
    if (end != NULL && proc_user((pid_t)recording->pid, &user, &group) && user == geteuid()) {
        mb_buf_printf(&recording->folders, "/proc/%" PRIu64 "/root%.*s", recording->pid,
                      (int)(end - trace->path), trace->path);
    }
    mb_buf_put_u1(&recording->folders, '\0');
    return mb_buf_check(&recording->folders, err);
}

/* What a killed attach left is taken over. */
enum mb_status proc_recording_find(struct proc_recording *recording, uint64_t pid,
                                   const char *folders, struct mb_error *err)
{
    enum mb_status status = MB_OK;
    struct proc_trace trace;

    if (proc_trace_find_below(&pid) != PROC_TRACE_FOUND) {
        return MB_OK;
    }
    if (proc_trace_find(&trace, pid) == PROC_TRACE_FOUND && proc_trace_is_open(&trace) &&
        !proc_attachment_is_left((pid_t)pid, trace.path)) {
        recording->pid = pid;
        recording->fd = trace.fd;
        trace.fd = -1;
        status = put_folders(recording, &trace, folders, err);
        if (status == MB_OK) {
            status = put_path(recording, err);
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

void proc_recording_renew(struct proc_recording *recording)
{
    struct proc_trace trace;

    if (recording->is_attached || recording->fd < 0 || !is_closed(recording->fd)) {
        return;
    }
    if (proc_trace_find(&trace, recording->pid) == PROC_TRACE_FOUND && proc_trace_is_open(&trace)) {
        (void)dup3(trace.fd, recording->fd, O_CLOEXEC);
    }
    proc_trace_finish(&trace);
}

enum mb_status proc_recording_attach(struct proc_recording *recording, uint64_t pid,
                                     const char *library, const struct proc_attachment_wish *wish,
                                     struct mb_error *err)
{
    enum mb_status status = proc_attachment_open(&recording->attachment, (pid_t)pid, library, err);

    if (status != MB_OK) {
        proc_attachment_finish(&recording->attachment);
        return status;
    }
    recording->is_attached = true;
    MB_TRY(proc_attachment_start(&recording->attachment, wish, err));
    MB_TRY(proc_attachment_open_trace(&recording->attachment, &recording->fd, err));
    return put_path(recording, err);
}

enum mb_status proc_recording_close(struct proc_recording *recording, struct mb_error *err)
{
    const struct proc_attachment_wish wish = {.most_ms = 0};
    enum mb_status status = MB_OK;

    if (recording->fd >= 0) {
        (void)close(recording->fd);
    }
    if (recording->fd >= 0 && recording->is_attached) {
        status = proc_attachment_stop(&recording->attachment, &wish, err);
        proc_attachment_discard(&recording->attachment);
    }
    if (recording->is_attached) {
        proc_attachment_tell_rest(&recording->attachment, "top");
        proc_attachment_finish(&recording->attachment);
    }
    mb_buf_finish(&recording->path);
    mb_buf_finish(&recording->folders);
    *recording = (struct proc_recording){.fd = -1};
    return status;
}
