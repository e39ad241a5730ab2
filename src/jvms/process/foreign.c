#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setns, setresuid */
#endif

#include "jvms/process/foreign.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "jvms/process/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 100
#define STOPPED_STEPS 20 /* until a process that stands still is given up */
#define END_NAP_NS 1000000
#define END_NAPS 300
#define PIECE_SIZE 4096

/* ---- A process ---- */

static int open_part(int proc, const char *name, int flags)
{
    return proc >= 0 ? openat(proc, name, flags | O_CLOEXEC) : -1;
}

bool proc_foreign_open(struct proc_foreign *process, pid_t pid)
{
    struct stat ours;
    struct stat theirs;
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    int proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    *process = (struct proc_foreign){
        .pid = pid,
        .own_pid = proc_own_id(pid),
        .root = open_part(proc, "root", O_PATH | O_DIRECTORY),
        .cwd = open_part(proc, "cwd", O_PATH | O_DIRECTORY),
        .users = open_part(proc, "ns/user", O_RDONLY),
    };
    process->has_mounts = proc >= 0 && fstatat(proc, "ns/mnt", &theirs, 0) == 0 &&
                          stat("/proc/self/ns/mnt", &ours) == 0 && !mb_is_same_file(&ours, &theirs);
    if (proc >= 0) {
        (void)close(proc);
    }
    return proc_user(pid, &process->uid, &process->gid) && proc_foreign_is_alive(process);
}

void proc_foreign_finish(struct proc_foreign *process)
{
    int *const files[] = {&process->root, &process->cwd, &process->users};

    for (size_t i = 0; i < MB_COUNT(files); i++) {
        if (*files[i] >= 0) {
            (void)close(*files[i]);
        }
        *files[i] = -1;
    }
}

static char state_of(const struct proc_foreign *process)
{
    char state[64];

    proc_status(process->pid, "State", state, sizeof(state));
    return state[0] != '\0' ? state[1] : 'X';
}

bool proc_foreign_is_alive(const struct proc_foreign *process)
{
    return strchr("ZX", state_of(process)) == NULL;
}

bool proc_foreign_is_stopped(const struct proc_foreign *process)
{
    return strchr("Tt", state_of(process)) != NULL;
}

/* ---- The child ---- */

static enum mb_status take_ids(const struct proc_foreign *process, bool is_other,
                               struct mb_error *err)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    uid_t uid = process->uid;
    gid_t gid = process->gid;

    bool is_done = !is_other || (setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 &&
                                 setresuid(uid, uid, uid) == 0);
    return is_done && syscall(SYS_capset, &header, none) == 0
               ? MB_OK
               : mb_fail_errno(err, "cannot become its user");
}

/* Who is not root is that user already, and may enter namespaces that are its own. */
static enum mb_status become_user(const struct proc_foreign *process, struct mb_error *err)
{
    bool is_root = geteuid() == 0;
    bool is_other = is_root && (process->uid != 0 || process->gid != getegid());
    struct stat ours;
    struct stat theirs;

    if (process->root < 0 || process->cwd < 0) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "its folders cannot be seen: run this as root");
    }
    bool is_apart = process->has_mounts || stat("/", &ours) != 0 ||
                    fstat(process->root, &theirs) != 0 || !mb_is_same_file(&ours, &theirs);
    if (is_apart && !is_root && setns(process->users, CLONE_NEWUSER) != 0) {
        return mb_fail_errno(err, "cannot enter its namespace");
    }
    if (is_apart && (fchdir(process->root) != 0 || chroot(".") != 0)) {
        return mb_fail_errno(err, "cannot enter its root");
    }
    if (fchdir(process->cwd) != 0) {
        return mb_fail_errno(err, "cannot enter its working folder");
    }
    return take_ids(process, is_other, err);
}

/* The error, then the bytes; the file comes with the first of them. */
static void hand_over(int socket, const struct mb_error *err, const struct proc_foreign_work *work)
{
    struct iovec part = {.iov_base = (void *)(uintptr_t)err, .iov_len = sizeof(*err)};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (work->file >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(header), &work->file, sizeof(int));
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)sizeof(*err) ||
        mb_file_write_all(socket, work->out.bytes, work->out.size, NULL) != MB_OK) {
        _exit(1); /* the parent has gone */
    }
}

static enum mb_status do_errand(const struct proc_foreign *process,
                                const struct proc_foreign_errand *errand, pid_t parent,
                                struct proc_foreign_work *work, struct mb_error *err)
{
    if (errand->before != NULL) {
        MB_TRY(errand->before(errand->context, work, err));
    }
    if (work->is_done) {
        return mb_buf_check(&work->out, err);
    }
    MB_TRY(become_user(process, err));
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "it was cancelled");
    }
    MB_TRY(errand->run(errand->context, work, err));
    return mb_buf_check(&work->out, err);
}

/* Who reads what its parent prints does not wait for one that cannot end. */
static void leave_streams(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = STDIN_FILENO; nothing >= 0 && fd <= STDERR_FILENO; fd++) {
        (void)dup2(nothing, fd);
    }
}

/* Signals are its parent's business. */
static void be_child(const struct proc_foreign *process, const struct proc_foreign_errand *errand,
                     pid_t parent, int socket)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct proc_foreign_work work = {.file = -1};
    struct mb_error err = {.status = MB_OK};

    for (size_t i = 0; i < MB_COUNT(ignored); i++) {
        (void)signal(ignored[i], SIG_IGN);
    }
    leave_streams();
    err.status = do_errand(process, errand, parent, &work, &err);
    hand_over(socket, &err, &work);
    _exit(0);
}

/* ---- The parent ---- */

struct waiting {
    const struct proc_foreign *process;
    const struct proc_foreign_errand *errand;
    int64_t since_ns;
    int stopped; /* steps for which the process has stood still */
};

static enum mb_status check_wait(struct waiting *waiting, struct mb_error *err)
{
    const struct proc_foreign_errand *errand = waiting->errand;
    int64_t ns = mb_clock_now_ns() - waiting->since_ns;

    if (!errand->is_last) {
        MB_TRY(mb_check_interrupt(err));
    }
    if (ns > (int64_t)errand->most_ms * MB_NS_PER_MS) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "it did not answer within %u s",
                       errand->most_ms / 1000);
    }
    bool is_stopped = errand->is_asking && proc_foreign_is_stopped(waiting->process);
    waiting->stopped = is_stopped ? waiting->stopped + 1 : 0;
    if (waiting->stopped > STOPPED_STEPS) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, PROC_FOREIGN_STOPPED);
    }
    if (errand->wait != NULL) {
        struct proc_progress now = errand->at;
        now.ns += ns;
        errand->wait(&now);
    }
    return MB_OK;
}

/* Some more of what the child has; 0 at its end. */
static ssize_t receive_some(int socket, struct mb_buf *bytes, int *file)
{
    char piece[PIECE_SIZE];
    struct iovec part = {.iov_base = piece, .iov_len = sizeof(piece)};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    if (header != NULL && header->cmsg_type == SCM_RIGHTS && *file < 0) {
        memcpy(file, CMSG_DATA(header), sizeof(int));
    }
    mb_buf_put(bytes, piece, got > 0 ? (size_t)got : 0);
    return got;
}

/* Until the child has ended. */
static enum mb_status await_child(struct waiting *waiting, int socket, struct mb_buf *bytes,
                                  int *file, struct mb_error *err)
{
    struct pollfd wanted = {.fd = socket, .events = POLLIN};

    while (bytes->size < 2 * PROC_FOREIGN_BYTES) {
        int ready = poll(&wanted, 1, STEP_MS);
        if (ready > 0 && receive_some(socket, bytes, file) == 0) {
            return mb_buf_check(bytes, err);
        }
        if (ready <= 0) {
            MB_TRY(check_wait(waiting, err));
        }
    }
    return mb_fail(err, MB_IO, MB_NO_OFFSET, "it has too much to say");
}

static enum mb_status take_result(const struct mb_buf *bytes, struct mb_buf *out,
                                  struct mb_error *err)
{
    struct mb_error result;

    if (bytes->size < sizeof(result)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "what looks into it was killed");
    }
    memcpy(&result, bytes->bytes, sizeof(result));
    if (result.status != MB_OK) {
        *err = result;
        return result.status;
    }
    if (out != NULL) {
        mb_buf_put(out, bytes->bytes + sizeof(result), bytes->size - sizeof(result));
    }
    return MB_OK;
}

/* One that waits in a file system of the process's user does not even die, and is left: it has no
 * rights but that user's. */
static void end_child(pid_t child)
{
    const struct timespec nap = {.tv_nsec = END_NAP_NS};

    (void)kill(child, SIGKILL);
    for (int i = 0; i < END_NAPS && waitpid(child, NULL, WNOHANG) == 0; i++) {
        (void)nanosleep(&nap, NULL);
    }
}

enum mb_status proc_foreign_run(const struct proc_foreign *process,
                                const struct proc_foreign_errand *errand, struct mb_buf *out,
                                int *file, struct mb_error *err)
{
    struct waiting waiting = {.process = process, .errand = errand, .since_ns = mb_clock_now_ns()};
    struct mb_buf bytes = {0};
    int ends[2];
    int unused = -1;
    pid_t parent = getpid();

    file = file != NULL ? file : &unused;
    *file = -1;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return mb_fail_errno(err, "cannot look into it");
    }
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        be_child(process, errand, parent, ends[1]);
    }
    (void)close(ends[1]);
    enum mb_status status = child < 0 ? mb_fail_errno(err, "cannot look into it")
                                      : await_child(&waiting, ends[0], &bytes, file, err);
    if (errand->is_given_up != NULL) {
        *errand->is_given_up = child > 0 && status != MB_OK;
    }
    if (child > 0) {
        end_child(child);
    }
    (void)close(ends[0]);
    if (status == MB_OK) {
        status = take_result(&bytes, out, err);
    }
    if (*file >= 0 && (status != MB_OK || file == &unused)) {
        (void)close(*file);
        *file = -1;
    }
    mb_buf_finish(&bytes);
    return status;
}

/* ---- What killed methodbeat processes left there ---- */

#define MOST_NAMES 100000
#define LEAST_SECONDS 60

/* The process's number in a name that methodbeat gave; 0 for other names. */
static pid_t number_of(const char *name)
{
    static const char *const starts[] = {PROC_LEFTOVER_TRACE, PROC_LEFTOVER_LIBRARY};

    for (size_t i = 0; i < MB_COUNT(starts); i++) {
        size_t size = strlen(starts[i]);
        if (strncmp(name, starts[i], size) == 0) {
            char *end;
            long number = strtol(name + size, &end, 10);
            return *end == '-' && number > 0 ? (pid_t)number : 0;
        }
    }
    return 0;
}

/* As the process sees others. */
static bool has_ended(pid_t pid)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    return access("/proc/1", F_OK) == 0 && access(path, F_OK) != 0;
}

static void remove_unused(int folder, const char *name, time_t latest)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        info.st_mtime <= latest && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        (void)unlinkat(folder, name, 0);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

void proc_leftovers_remove(pid_t own_pid, bool is_ours)
{
    DIR *folder = opendir("/tmp");
    const struct dirent *entry;
    time_t now = time(NULL);

    for (int i = 0; folder != NULL && i < MOST_NAMES && (entry = readdir(folder)) != NULL; i++) {
        pid_t pid = number_of(entry->d_name);
        if (pid == own_pid && is_ours) {
            remove_unused(dirfd(folder), entry->d_name, now);
        } else if (pid != 0 && pid != own_pid && has_ended(pid)) {
            remove_unused(dirfd(folder), entry->d_name, now - LEAST_SECONDS);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}
