#include "cli/jvm.h"

#include "cli/jvm_maps.h"
#include "cli/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 5000 /* for its answer to the signal */
#define STEP_MS 20
#define ANSWER_SIZE 1024

/* ---- What the system knows of it ---- */

static bool catches_quit(pid_t pid)
{
    char line[128];

    cli_proc_status(pid, "SigCgt", line, sizeof(line));
    return (strtoull(line, NULL, 16) >> (SIGQUIT - 1) & 1) != 0;
}

/* One of the words, each with its NUL, holds the text. */
static bool holds_text(const struct mb_buf *words, const char *text)
{
    const char *word = (const char *)words->bytes;
    const char *end = word + words->size;

    for (; word < end; word += strlen(word) + 1) {
        if (strstr(word, text) != NULL) {
            return true;
        }
    }
    return false;
}

/* On its command line, or in its environment. */
static bool is_told(pid_t pid, const char *text)
{
    static const char *const files[] = {"cmdline", "environ"};
    bool is_there = false;

    for (size_t i = 0; i < MB_COUNT(files) && !is_there; i++) {
        struct mb_buf words = {0};
        is_there = cli_proc_read(&words, pid, files[i]) && holds_text(&words, text);
        mb_buf_finish(&words);
    }
    return is_there;
}

/* Other programs die of SIGQUIT, some after catching it: nothing is sent on a guess. */
static const char *why_not(const struct cli_jvm *jvm)
{
    struct cli_jvm_maps maps;

    if (geteuid() != 0 && geteuid() != jvm->uid) {
        return "it belongs to another user: run this as that user or as root";
    }
    if (!cli_jvm_maps_read(&maps, jvm->pid)) {
        return "its libraries cannot be seen: run this as root";
    }
    if (maps.library[0] == '\0' || maps.is_openj9) {
        return maps.is_openj9 ? "it is a JVM of OpenJ9's: only HotSpot's can be asked"
                              : "it is no JVM of HotSpot's: it has no libjvm.so";
    }
    if (is_told(jvm->pid, "-XX:+DisableAttachMechanism")) {
        return "it was started with -XX:+DisableAttachMechanism: it cannot be asked";
    }
    return catches_quit(jvm->pid)
               ? NULL
               : "it does not handle SIGQUIT: it was started with -Xrs, or just now";
}

enum mb_status cli_jvm_open(struct cli_jvm *jvm, pid_t pid, struct mb_error *err)
{
    char path[64];
    struct stat info = {0};

    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    bool is_there = stat(path, &info) == 0;
    *jvm = (struct cli_jvm){
        .pid = pid, .own_pid = cli_proc_own_id(pid), .uid = info.st_uid, .gid = info.st_gid};
    if (!is_there || !cli_jvm_is_alive(jvm)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "no process has this number");
    }
    const char *reason = why_not(jvm);
    return reason == NULL ? MB_OK : mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", reason);
}

bool cli_jvm_is_alive(const struct cli_jvm *jvm)
{
    char state[64];

    cli_proc_status(jvm->pid, "State", state, sizeof(state));
    return state[0] != '\0' && strpbrk(state, "ZX") == NULL;
}

static bool stat_there(const struct cli_jvm *jvm, const char *path, struct stat *info)
{
    struct mb_buf there = {0};

    mb_buf_printf(&there, "/proc/%d/root%s", (int)jvm->pid, path);
    mb_buf_put_u1(&there, '\0');
    bool is_there = !there.failed && stat((const char *)there.bytes, info) == 0;
    mb_buf_finish(&there);
    return is_there;
}

bool cli_jvm_has_file(const struct cli_jvm *jvm, const char *path, ino_t inode)
{
    struct stat info;

    return path[0] == '/' && stat_there(jvm, path, &info) && info.st_ino == inode;
}

bool cli_jvm_sees(const struct cli_jvm *jvm, const char *path)
{
    struct stat ours;
    struct stat theirs;

    return stat(path, &ours) == 0 && stat_there(jvm, path, &theirs) &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* A link that a container has for its /tmp would lead to a folder of ours. */
int cli_jvm_open_tmp(const struct cli_jvm *jvm)
{
    int more = cli_jvm_sees(jvm, "/") ? 0 : O_NOFOLLOW;
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/root/tmp", (int)jvm->pid);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | more);
}

/* ---- Its socket ---- */

static void socket_path(const struct cli_jvm *jvm, char path[108])
{
    (void)snprintf(path, 108, "/proc/%d/root/tmp/.java_pid%d", (int)jvm->pid, (int)jvm->own_pid);
}

static bool has_socket(const struct cli_jvm *jvm)
{
    char path[108];
    struct stat info;

    socket_path(jvm, path);
    return stat(path, &info) == 0 && S_ISSOCK(info.st_mode);
}

/* Where the JVM looks for a wish to attach: its working folder, then its /tmp. */
static bool make_wish(const struct cli_jvm *jvm, char path[128])
{
    static const char *const places[] = {"cwd", "root/tmp"};

    for (size_t i = 0; i < MB_COUNT(places); i++) {
        (void)snprintf(path, 128, "/proc/%d/%s/.attach_pid%d", (int)jvm->pid, places[i],
                       (int)jvm->own_pid);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0) {
            (void)close(fd);
            return true;
        }
    }
    return false;
}

/* HotSpot opens its socket when a thread of its sees the signal. */
static enum mb_status await_socket(const struct cli_jvm *jvm, struct mb_error *err)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    char wish[128];

    if (has_socket(jvm)) {
        return MB_OK;
    }
    if (!make_wish(jvm, wish)) {
        return mb_fail_errno(err, "cannot leave a request in its folders");
    }
    (void)kill(jvm->pid, SIGQUIT);
    for (int waited = 0; waited < WAIT_MS && !has_socket(jvm); waited += STEP_MS) {
        (void)nanosleep(&step, NULL);
    }
    (void)unlink(wish);
    return has_socket(jvm)
               ? MB_OK
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "it did not answer within %d s", WAIT_MS / 1000);
}

/* As its owner, whom HotSpot asks for. */
static int connect_as_owner(const struct cli_jvm *jvm)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_root = geteuid() == 0 && jvm->uid != 0;

    socket_path(jvm, address.sun_path);
    if (is_root) {
        (void)(setegid(jvm->gid) == 0 && seteuid(jvm->uid) == 0);
    }
    bool is_connected =
        fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
    int failure = errno;
    if (is_root) {
        (void)(seteuid(0) == 0 && setegid(0) == 0);
    }
    if (!is_connected && fd >= 0) {
        (void)close(fd);
        errno = failure;
    }
    return is_connected ? fd : -1;
}

/* ---- A request ---- */

static bool write_whole(int fd, const struct mb_buf *request)
{
    size_t written = 0;

    while (written < request->size) {
        ssize_t size = send(fd, request->bytes + written, request->size - written, MSG_NOSIGNAL);
        if (size <= 0 && errno != EINTR) {
            return false;
        }
        written += size > 0 ? (size_t)size : 0;
    }
    return true;
}

static void read_answer(int fd, char answer[ANSWER_SIZE])
{
    size_t size = 0;

    while (size < ANSWER_SIZE - 1) {
        ssize_t got = read(fd, answer + size, ANSWER_SIZE - 1 - size);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        size += got > 0 ? (size_t)got : 0;
    }
    answer[size] = '\0';
}

/* "0\nreturn code: 0\n", from JDK 9 on; before, the second line is "0". */
static enum mb_status judge_answer(const char *answer, struct mb_error *err)
{
    const char *second = strchr(answer, '\n');
    const char *code = second != NULL ? strpbrk(second + 1, "-0123456789") : NULL;

    if (answer[0] == '0' && (code == NULL || strtol(code, NULL, 10) == 0)) {
        return MB_OK;
    }
    char words[200];
    (void)snprintf(words, sizeof(words), "%s", second != NULL ? second + 1 : answer);
    words[strcspn(words, "\n")] = '\0';
    bool is_said = words[0] != '\0' && strncmp(words, "return code", strlen("return code")) != 0;
    return mb_fail(err, MB_IO, MB_NO_OFFSET, "the JVM did not take the agent: %s",
                   is_said ? words : "what it prints itself says why");
}

enum mb_status cli_jvm_load(const struct cli_jvm *jvm, const char *library, const char *options,
                            struct mb_error *err)
{
    const char *const words[] = {"1", "load", library, "true", options};
    struct mb_buf request = {0};
    char answer[ANSWER_SIZE];

    MB_TRY(await_socket(jvm, err));
    for (size_t i = 0; i < MB_COUNT(words); i++) {
        mb_buf_put(&request, words[i], strlen(words[i]) + 1);
    }
    int fd = request.failed ? -1 : connect_as_owner(jvm);
    if (fd < 0) {
        mb_buf_finish(&request);
        return mb_fail_errno(err, "cannot connect to its socket");
    }
    bool is_sent = write_whole(fd, &request);
    mb_buf_finish(&request);
    answer[0] = '\0';
    if (is_sent) {
        read_answer(fd, answer);
    }
    (void)close(fd);
    return is_sent ? judge_answer(answer, err) : mb_fail_errno(err, "cannot ask it");
}
