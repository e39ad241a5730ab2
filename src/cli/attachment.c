#include "cli/attachment.h"

#include "base/clock.h"
#include "cli/control_trace.h"
#include "cli/copy.h"
#include "cli/jvm_lock.h"
#include "cli/jvm_maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/tmp/"
#define LIBRARY "libmethodbeat-agent-" MB_VERSION ".so"

static enum mb_status in_process(const struct cli_attachment *attachment, enum mb_status status,
                                 struct mb_error *err)
{
    char name[32];

    if (status != MB_OK) {
        (void)snprintf(name, sizeof(name), "process %d", (int)attachment->jvm.pid);
        mb_error_in_input(err, name);
    }
    return status;
}

/* ---- The library ---- */

/* By us or by the process's own user, and by none but them. */
static bool is_trusted(int fd, const struct cli_jvm *jvm)
{
    struct stat info;

    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_uid == geteuid() || info.st_uid == jvm->uid) &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* An earlier copy of ours, whole: the JVM may have loaded it already. */
static bool has_copy(const struct cli_attachment *attachment, int library)
{
    int copy = openat(attachment->folder, LIBRARY, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_ours =
        copy >= 0 && is_trusted(copy, &attachment->jvm) && cli_copy_equals(copy, library);

    if (copy >= 0) {
        (void)close(copy);
    }
    return is_ours;
}

/* Whatever had that name goes: another user may have left it there. */
static enum mb_status make_copy(const struct cli_attachment *attachment, int library,
                                struct mb_error *err)
{
    (void)unlinkat(attachment->folder, LIBRARY, 0);
    int copy = openat(attachment->folder, LIBRARY,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum mb_status status = copy < 0 || lseek(library, 0, SEEK_SET) != 0
                                ? mb_fail_errno(err, "cannot write")
                                : cli_copy_open(library, copy, err);

    if (status == MB_OK && fchmod(copy, 0755) != 0) {
        status = mb_fail_errno(err, "cannot write");
    }
    if (copy >= 0 && close(copy) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot write");
    }
    if (status != MB_OK) {
        (void)(copy >= 0 ? unlinkat(attachment->folder, LIBRARY, 0) : 0);
        mb_error_in_input(err, LIBRARY " in the /tmp of the process");
    }
    return status;
}

/* The copy stays: the JVM may load it again. */
static enum mb_status place_copy(const struct cli_attachment *attachment, const char *library,
                                 struct mb_error *err)
{
    int fd = open(library, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        enum mb_status status = mb_fail_errno(err, "cannot open");
        mb_error_in_input(err, library);
        return status;
    }
    enum mb_status status = has_copy(attachment, fd) ? MB_OK : make_copy(attachment, fd, err);
    (void)close(fd);
    return status;
}

static enum mb_status place_library(struct cli_attachment *attachment, const char *library,
                                    struct mb_error *err)
{
    const char *place = library;

    struct cli_jvm_maps maps;

    /* What a start or an earlier attach has loaded is the one to ask. */
    if (cli_jvm_maps_read(&maps, attachment->jvm.pid) &&
        cli_jvm_has_file(&attachment->jvm, maps.agent, maps.agent_inode)) {
        place = maps.agent;
    } else if (!cli_jvm_sees(&attachment->jvm, library)) {
        MB_TRY(place_copy(attachment, library, err));
        place = FOLDER LIBRARY;
    }
    attachment->library = strdup(place);
    return attachment->library != NULL ? MB_OK : mb_fail_memory(err);
}

/* Whoever attached and left, or was killed, left a recording that the next one takes the place of;
 * one that the program began with is its own. */
static enum mb_status check_recording(const struct cli_attachment *attachment, struct mb_error *err)
{
    struct cli_control_trace trace;
    char ours[64];
    enum mb_status status = MB_OK;
    bool is_found =
        cli_control_trace_find(&trace, (uint64_t)attachment->jvm.pid) == CLI_CONTROL_FOUND;

    (void)snprintf(ours, sizeof(ours), FOLDER "methodbeat-%d-", (int)attachment->jvm.pid);
    if (is_found &&
        atomic_load_explicit(&trace.header->state, memory_order_relaxed) == ABI_TRACE_OPEN &&
        strncmp(trace.path, ours, strlen(ours)) != 0) {
        status = mb_fail(err, MB_IO, MB_NO_OFFSET,
                         "it records already, into %s: 'methodbeat control' has a say in that",
                         trace.path);
    }
    cli_control_trace_finish(&trace);
    return status;
}

static enum mb_status claim_process(struct cli_attachment *attachment, struct mb_error *err)
{
    MB_TRY(cli_jvm_lock(attachment->jvm.pid, &attachment->lock, err));
    return check_recording(attachment, err);
}

enum mb_status cli_attachment_open(struct cli_attachment *attachment, pid_t pid,
                                   const char *library, struct mb_error *err)
{
    *attachment = (struct cli_attachment){.jvm = {.pid = pid}, .folder = -1, .lock = -1};
    (void)snprintf(attachment->trace, sizeof(attachment->trace),
                   FOLDER "methodbeat-%d-%lld.mbtrace", (int)pid, (long long)mb_clock_now_ns());
    enum mb_status status = cli_jvm_open(&attachment->jvm, pid, err);
    if (status == MB_OK) {
        status = claim_process(attachment, err);
    }
    if (status == MB_OK) {
        attachment->folder = cli_jvm_open_tmp(&attachment->jvm);
        status = attachment->folder >= 0 ? place_library(attachment, library, err)
                                         : mb_fail_errno(err, "cannot open its /tmp");
    }
    return in_process(attachment, status, err);
}

/* ---- The recording ---- */

static const char *trace_name(const struct cli_attachment *attachment)
{
    return attachment->trace + sizeof(FOLDER) - 1;
}

static void put_options(struct mb_buf *out, const struct cli_attachment *attachment,
                        const struct cli_attachment_wish *wish)
{
    const char *setting;

    cli_agent_put_option(out, "file", attachment->trace);
    cli_agent_put_options(out, &wish->agent);
    for (size_t i = 0; wish->settings != NULL && i < wish->settings->size / sizeof(setting); i++) {
        memcpy(&setting, wish->settings->bytes + i * sizeof(setting), sizeof(setting));
        mb_buf_printf(out, ",%s", setting);
    }
    mb_buf_put_u1(out, '\0');
}

void cli_attachment_discard(const struct cli_attachment *attachment)
{
    (void)unlinkat(attachment->folder, trace_name(attachment), 0);
}

/* Some probes may be in. */
static void take_back(const struct cli_attachment *attachment)
{
    struct mb_error err;

    if (!cli_jvm_is_alive(&attachment->jvm) ||
        cli_jvm_load(&attachment->jvm, attachment->library, "detach=on", &err) != MB_OK) {
        return; /* the first failure is what is told */
    }
    cli_attachment_discard(attachment);
}

enum mb_status cli_attachment_start(const struct cli_attachment *attachment,
                                    const struct cli_attachment_wish *wish, struct mb_error *err)
{
    struct mb_buf options = {0};

    put_options(&options, attachment, wish);
    enum mb_status status = mb_buf_check(&options, err);
    if (status == MB_OK) {
        status =
            cli_jvm_load(&attachment->jvm, attachment->library, (const char *)options.bytes, err);
    }
    mb_buf_finish(&options);
    if (status != MB_OK) {
        take_back(attachment);
    }
    return in_process(attachment, status, err);
}

bool cli_attachment_is_alive(const struct cli_attachment *attachment)
{
    return cli_jvm_is_alive(&attachment->jvm);
}

enum mb_status cli_attachment_stop(const struct cli_attachment *attachment, struct mb_error *err)
{
    enum mb_status status =
        cli_jvm_is_alive(&attachment->jvm)
            ? cli_jvm_load(&attachment->jvm, attachment->library, "detach=on", err)
            : MB_OK;

    return cli_jvm_is_alive(&attachment->jvm) ? in_process(attachment, status, err) : MB_OK;
}

/* ---- Its trace ---- */

enum mb_status cli_attachment_open_trace(const struct cli_attachment *attachment, int *fd,
                                         struct mb_error *err)
{
    *fd = openat(attachment->folder, trace_name(attachment),
                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd >= 0 && is_trusted(*fd, &attachment->jvm)) {
        return MB_OK;
    }
    enum mb_status status =
        *fd < 0 ? mb_fail_errno(err, "cannot open its trace")
                : mb_fail(err, MB_IO, MB_NO_OFFSET, "its trace is another user's file");
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
    return in_process(attachment, status, err);
}

enum mb_status cli_attachment_fetch(const struct cli_attachment *attachment, const char *to,
                                    struct mb_error *err)
{
    int fd;

    MB_TRY(cli_attachment_open_trace(attachment, &fd, err));
    enum mb_status status = cli_copy_to(fd, to, 0600, err);
    (void)close(fd);
    if (status == MB_OK) {
        cli_attachment_discard(attachment);
    }
    return in_process(attachment, status, err);
}

static void close_file(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

void cli_attachment_finish(struct cli_attachment *attachment)
{
    free(attachment->library);
    attachment->library = NULL;
    close_file(&attachment->folder);
    close_file(&attachment->lock);
}
