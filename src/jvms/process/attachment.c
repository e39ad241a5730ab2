#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ST_NOEXEC */
#endif

#include "jvms/process/attachment.h"

#include "abi/attach.h"
#include "abi/control.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "jvms/process/compact.h"
#include "jvms/process/foreign.h"
#include "jvms/process/jvm_look.h"
#include "jvms/process/status.h"
#include "jvms/process/trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FOLDER "/tmp/"
#define DETACH "detach=on" ABI_ATTACH_LATER
#define KEPT FOLDER "methodbeat-" /* the name of a trace that stays */
#define MOST_MS 60000             /* for probes to go in or out */
#define COPY_MS 5000              /* for our library, and for names */
#define FETCH_MS 86400000

static enum mb_status in_process(const struct proc_attachment *attachment, enum mb_status status,
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

struct library {
    const struct proc_attachment *attachment;
    const char *path; /* as we see it */
    int fd;
    bool is_loaded;
};

/* The user may read it, and the JVM execute it. */
static bool sees_library(const struct library *library)
{
    struct stat ours;
    struct stat theirs;
    struct statvfs place;
    int fd = open(library->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is_same = fd >= 0 && fstat(library->fd, &ours) == 0 && fstat(fd, &theirs) == 0 &&
                   ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino &&
                   fstatvfs(fd, &place) == 0 && (place.f_flag & ST_NOEXEC) == 0;

    if (fd >= 0) {
        (void)close(fd);
    }
    return is_same;
}

/* The JVM would say less. */
static enum mb_status check_place(int copy, struct mb_error *err)
{
    struct statvfs place;

    return fstatvfs(copy, &place) == 0 && (place.f_flag & ST_NOEXEC) != 0
               ? mb_fail(err, MB_IO, MB_NO_OFFSET,
                         "it cannot read the agent library, and its /tmp is mounted noexec: copy "
                         "the library where its user can read it and pass --agent")
               : MB_OK;
}

/* Under a name that cannot be guessed. */
static enum mb_status make_copy(const struct library *library, struct mb_buf *out,
                                struct mb_error *err)
{
    uint64_t number = 0;
    char path[128];

    if (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
        return mb_fail_errno(err, "cannot copy our library to its /tmp");
    }
    (void)snprintf(path, sizeof(path), FOLDER PROC_LEFTOVER_LIBRARY "%d-%016" PRIx64 ".so",
                   (int)library->attachment->jvm.own_pid, number);
    int copy = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    enum mb_status status = copy < 0 ? mb_fail_errno(err, "cannot copy our library to its /tmp")
                                     : check_place(copy, err);
    if (status == MB_OK) {
        status = proc_copy_open(library->fd, copy, err);
    }
    if (copy >= 0 && close(copy) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot copy our library to its /tmp");
    }
    if (status != MB_OK && copy >= 0) {
        (void)unlink(path);
    }
    mb_buf_put_string(out, path);
    return status;
}

/* Puts the path of a copy, if there has to be one. */
static enum mb_status place_as_user(void *context, struct proc_foreign_work *work,
                                    struct mb_error *err)
{
    const struct library *library = context;

    proc_leftovers_remove(library->attachment->jvm.own_pid, library->attachment->lock >= 0);
    return library->is_loaded || sees_library(library) ? MB_OK
                                                       : make_copy(library, &work->out, err);
}

static enum mb_status take_place(struct proc_attachment *attachment, const struct library *library,
                                 struct mb_error *err)
{
    const struct proc_foreign_errand errand = {
        .run = place_as_user, .context = (void *)(uintptr_t)library, .most_ms = COPY_MS};
    struct mb_buf copy = {0};
    enum mb_status status = proc_foreign_run(&attachment->jvm, &errand, &copy, NULL, err);

    attachment->is_copy = copy.size > 0;
    mb_buf_put_u1(&copy, '\0');
    if (status == MB_OK) {
        attachment->library =
            strdup(attachment->is_copy ? (const char *)copy.bytes : library->path);
        status = attachment->library != NULL && !copy.failed ? MB_OK : mb_fail_memory(err);
    }
    mb_buf_finish(&copy);
    return status;
}

/* What a start or an earlier attach has loaded is the one to ask: its name is enough for that, also
 * when the file is gone. */
static enum mb_status place_library(struct proc_attachment *attachment, const char *path,
                                    struct mb_error *err)
{
    struct proc_jvm_maps maps;
    struct library library = {.attachment = attachment, .path = path};

    (void)proc_jvm_maps_read(&maps, attachment->jvm.pid);
    library.is_loaded = maps.agent[0] != '\0';
    if (library.is_loaded) {
        abi_control_trim(maps.agent);
        library.path = maps.agent;
    }
    library.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (library.fd < 0) {
        return mb_fail_file(err, path, "cannot open");
    }
    enum mb_status status = take_place(attachment, &library, err);
    (void)close(library.fd);
    return status;
}

/* ---- Its recording ---- */

static bool has_start(const char *path, const char *start, pid_t pid)
{
    char whole[64];

    (void)snprintf(whole, sizeof(whole), "%s%d-", start, (int)pid);
    return strncmp(path, whole, strlen(whole)) == 0;
}

static void name_trace(struct proc_attachment *attachment, const char *start)
{
    (void)snprintf(attachment->trace, sizeof(attachment->trace), "%s%d-%lld.mbtrace", start,
                   (int)attachment->jvm.own_pid, (long long)mb_clock_now_ns());
}

/* A recording left by an attach that ended or was killed may be replaced; one that the program
 * itself began may not. */
static enum mb_status check_recording(const struct proc_attachment *attachment,
                                      struct mb_error *err)
{
    struct proc_trace trace;
    pid_t own_pid = attachment->jvm.own_pid;
    enum mb_status status = MB_OK;

    if (proc_trace_find(&trace, (uint64_t)attachment->jvm.pid) == PROC_TRACE_FOUND &&
        proc_trace_is_open(&trace) && !has_start(trace.path, KEPT, own_pid) &&
        !has_start(trace.path, FOLDER PROC_LEFTOVER_TRACE, own_pid)) {
        status = mb_fail(err, MB_IO, MB_NO_OFFSET,
                         "already recording into %s: stop it with 'methodbeat attach --stop PID'",
                         trace.path);
    }
    proc_trace_finish(&trace);
    return status;
}

bool proc_attachment_is_left(pid_t pid, const char *trace)
{
    struct mb_error err;
    int lock;

    if (!has_start(trace, FOLDER PROC_LEFTOVER_TRACE, proc_own_id(pid)) ||
        proc_jvm_lock(pid, &lock, &err) != MB_OK || lock < 0) {
        return false;
    }
    (void)close(lock);
    return true;
}

enum mb_status proc_attachment_open(struct proc_attachment *attachment, pid_t pid,
                                    const char *library, struct mb_error *err)
{
    *attachment = (struct proc_attachment){.lock = -1};
    enum mb_status status = proc_jvm_open(&attachment->jvm, pid, err);
    if (status == MB_OK) {
        status = proc_jvm_lock(pid, &attachment->lock, err);
    }
    if (status == MB_OK) {
        status = check_recording(attachment, err);
    }
    if (status == MB_OK) {
        status = place_library(attachment, library, err);
    }
    return in_process(attachment, status, err);
}

/* ---- Files there ---- */

struct names {
    const char *old;
    const char *new; /* NULL: it is to be removed */
    pid_t own_pid;   /* the process whose leftovers go, too; 0 if none */
};

static enum mb_status rename_as_user(void *context, struct proc_foreign_work *work,
                                     struct mb_error *err)
{
    const struct names *names = context;

    (void)work;
    if (names->own_pid != 0) {
        proc_leftovers_remove(names->own_pid, true);
    }
    return (names->new == NULL ? unlink(names->old) : rename(names->old, names->new)) == 0
               ? MB_OK
               : mb_fail_errno(err, "cannot rename");
}

static bool rename_there(const struct proc_attachment *attachment, struct names names)
{
    const struct proc_foreign_errand errand = {
        .run = rename_as_user, .context = &names, .most_ms = COPY_MS, .is_last = true};
    struct mb_error err;

    return proc_foreign_run(&attachment->jvm, &errand, NULL, NULL, &err) == MB_OK;
}

void proc_attachment_discard(const struct proc_attachment *attachment)
{
    (void)rename_there(
        attachment, (struct names){.old = attachment->trace, .own_pid = attachment->jvm.own_pid});
}

void proc_attachment_keep(struct proc_attachment *attachment)
{
    struct proc_attachment kept = *attachment;

    if (strncmp(attachment->trace, KEPT, strlen(KEPT)) == 0) {
        return;
    }
    name_trace(&kept, KEPT);
    if (rename_there(attachment, (struct names){.old = attachment->trace, .new = kept.trace})) {
        memcpy(attachment->trace, kept.trace, sizeof(kept.trace));
    }
}

/* ---- In and out ---- */

static void put_options(struct mb_buf *out, const struct proc_attachment *attachment,
                        const struct proc_attachment_wish *wish)
{
    proc_agent_put_option(out, "file", attachment->trace);
    proc_agent_put_options(out, &wish->agent);
    for (size_t i = 0; wish->settings != NULL && i < MB_VEC_COUNT(wish->settings); i++) {
        mb_buf_printf(out, ",%s", wish->settings->items[i]);
    }
    mb_buf_put(out, ABI_ATTACH_LATER, sizeof(ABI_ATTACH_LATER));
}

static struct proc_jvm_request request_of(const struct proc_attachment *attachment,
                                          const char *options,
                                          const struct proc_attachment_wish *wish)
{
    return (struct proc_jvm_request){.library = attachment->library,
                                     .options = options,
                                     .most_ms = wish->most_ms != 0 ? wish->most_ms : MOST_MS,
                                     .wait = wish->wait};
}

static struct proc_jvm_request detach_request(const struct proc_attachment *attachment)
{
    return request_of(attachment, DETACH, &(const struct proc_attachment_wish){.most_ms = COPY_MS});
}

/* A JVM that does not answer now finds the question when it comes to it. */
static void leave_request(struct proc_attachment *attachment)
{
    const struct proc_jvm_request request = detach_request(attachment);

    attachment->rest =
        proc_jvm_post(&attachment->jvm, &request) ? PROC_REST_ASKED : PROC_REST_RECORDING;
}

/* Some probes may be in. */
static void take_back(struct proc_attachment *attachment, enum proc_jvm_outcome outcome)
{
    const struct proc_jvm_request request = detach_request(attachment);
    struct mb_error err;

    if (!proc_foreign_is_alive(&attachment->jvm) || outcome == PROC_JVM_NOT_ASKED) {
        return;
    }
    if (outcome != PROC_JVM_ANSWERED) {
        leave_request(attachment);
    } else if (proc_jvm_load(&attachment->jvm, &request, &outcome, &err) == MB_OK) {
        proc_attachment_discard(attachment);
    }
}

/* A copy of the library is needed no more once it is loaded. */
static void remove_copy(struct proc_attachment *attachment)
{
    if (attachment->is_copy) {
        (void)rename_there(attachment, (struct names){.old = attachment->library});
    }
    attachment->is_copy = false;
}

enum mb_status proc_attachment_start(struct proc_attachment *attachment,
                                     const struct proc_attachment_wish *wish, struct mb_error *err)
{
    struct mb_buf options = {0};
    enum proc_jvm_outcome outcome;

    name_trace(attachment, wish->leaves ? KEPT : FOLDER PROC_LEFTOVER_TRACE);
    attachment->has_probes = wish->agent.sample != PROC_SAMPLE_ONLY;
    put_options(&options, attachment, wish);
    enum mb_status status = mb_buf_check(&options, err);
    if (status == MB_OK) {
        struct proc_jvm_request request = request_of(attachment, (const char *)options.bytes, wish);
        request.advice = wish->advice;
        status = proc_jvm_load(&attachment->jvm, &request, &outcome, err);
        if (status != MB_OK) {
            take_back(attachment, outcome);
        }
    }
    mb_buf_finish(&options);
    remove_copy(attachment);
    return in_process(attachment, status, err);
}

enum mb_status proc_attachment_stop(struct proc_attachment *attachment,
                                    const struct proc_attachment_wish *wish, struct mb_error *err)
{
    const struct proc_jvm_request request = request_of(attachment, DETACH, wish);
    enum proc_jvm_outcome outcome = PROC_JVM_ANSWERED;

    mb_interrupt_forget();
    enum mb_status status = proc_foreign_is_alive(&attachment->jvm)
                                ? proc_jvm_load(&attachment->jvm, &request, &outcome, err)
                                : MB_OK;
    if (!proc_foreign_is_alive(&attachment->jvm)) {
        return MB_OK;
    }
    if (outcome == PROC_JVM_PENDING || outcome == PROC_JVM_GOING) {
        attachment->rest = PROC_REST_ASKED;
    } else if (outcome == PROC_JVM_NOT_ASKED) {
        leave_request(attachment);
    }
    if (outcome == PROC_JVM_GOING && status != MB_INTERRUPTED) {
        status = MB_OK; /* its recording has ended */
    }
    return in_process(attachment, status, err);
}

void proc_attachment_tell_rest(const struct proc_attachment *attachment, const char *command)
{
    static const char *const words[][2] = {
        [PROC_REST_ASKED] = {"it takes no more stacks when it comes to it",
                             "it takes its probes out again when it comes to it"},
        [PROC_REST_RECORDING] = {"it goes on taking stacks, until the next attach",
                                 "its probes stay in, until the next attach"},
    };

    if (attachment->rest != PROC_REST_NOTHING) {
        (void)fprintf(stderr, "methodbeat %s: process %d: %s\n", command, (int)attachment->jvm.pid,
                      words[attachment->rest][attachment->has_probes]);
    }
}

/* ---- Its trace ---- */

struct fetching {
    const char *trace;
    int to; /* -1: the open file itself is wanted */
};

static enum mb_status fetch_as_user(void *context, struct proc_foreign_work *work,
                                    struct mb_error *err)
{
    const struct fetching *fetching = context;
    struct stat info;

    work->file = open(fetching->trace, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (work->file < 0) {
        return mb_fail_errno(err, "cannot open its trace");
    }
    if (fstat(work->file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid()) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "its trace is another user's file");
    }
    return fetching->to < 0 ? MB_OK : proc_copy_trace(work->file, fetching->to, err);
}

static enum mb_status fetch_trace(const struct proc_attachment *attachment, int to, int *fd,
                                  struct mb_error *err)
{
    struct fetching fetching = {.trace = attachment->trace, .to = to};
    const struct proc_foreign_errand errand = {
        .run = fetch_as_user, .context = &fetching, .most_ms = FETCH_MS};

    return in_process(attachment, proc_foreign_run(&attachment->jvm, &errand, NULL, fd, err), err);
}

enum mb_status proc_attachment_open_trace(const struct proc_attachment *attachment, int *fd,
                                          struct mb_error *err)
{
    return fetch_trace(attachment, -1, fd, err);
}

enum mb_status proc_attachment_fetch(const struct proc_attachment *attachment, int to,
                                     struct mb_error *err)
{
    return fetch_trace(attachment, to, NULL, err);
}

void proc_attachment_finish(struct proc_attachment *attachment)
{
    remove_copy(attachment);
    free(attachment->library);
    attachment->library = NULL;
    if (attachment->lock >= 0) {
        (void)close(attachment->lock);
    }
    attachment->lock = -1;
    proc_foreign_finish(&attachment->jvm);
}
