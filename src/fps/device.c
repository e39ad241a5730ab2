#include "fps/fps.h"

#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_MS 30000
#define ADB "adb"                /* of PATH */
#define LONGEST_COMMAND_MS 10000 /* a second interrupt of a terminal ends adb itself */
#define MOST_BYTES ((size_t)64 << 20)
#define MOST_WORDS 8

extern char **environ;

/* A program whose outputs are read. */
struct child {
    pid_t id;
    int fds[2];            /* its standard output and standard error; -1: closed */
    int64_t until_ms;      /* then it is given up */
    bool is_interruptible; /* give up on an interrupt, too */
};

static int add_actions(posix_spawn_file_actions_t *actions, const int output[2],
                       const int complaint[2])
{
    int failure = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    if (failure == 0) {
        failure = posix_spawn_file_actions_adddup2(actions, output[1], STDOUT_FILENO);
    }
    if (failure == 0) {
        failure = posix_spawn_file_actions_adddup2(actions, complaint[1], STDERR_FILENO);
    }
    return failure;
}

static int spawn_with(struct child *child, char **argv, const int output[2], const int complaint[2])
{
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);

    if (failure != 0) {
        return failure;
    }
    failure = add_actions(&actions, output, complaint);
    if (failure == 0) {
        failure = posix_spawnp(&child->id, argv[0], &actions, NULL, argv, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static void close_pair(const int pair[2])
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* A pipe that child processes inherit only on request. */
static bool open_pair(int pair[2])
{
    if (pipe(pair) != 0) {
        return false;
    }
    (void)fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static enum mb_status start_child(struct child *child, char **argv, struct mb_error *err)
{
    int output[2];
    int complaint[2];

    if (!open_pair(output)) {
        return mb_fail_errno(err, "no pipe");
    }
    if (!open_pair(complaint)) {
        close_pair(output);
        return mb_fail_errno(err, "no pipe");
    }
    int failure = spawn_with(child, argv, output, complaint);
    if (failure != 0) {
        close_pair(output);
        close_pair(complaint);
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "cannot be started: %s", strerror(failure));
        mb_error_in_input(err, argv[0]);
        return MB_IO;
    }
    (void)close(output[1]);
    (void)close(complaint[1]);
    child->fds[0] = output[0];
    child->fds[1] = complaint[0];
    return MB_OK;
}

/* Read the available output; closes the descriptor at its end. */
static void read_some(int *fd, struct mb_buf *out)
{
    char bytes[8192];
    ssize_t size = read(*fd, bytes, sizeof(bytes));

    if (size > 0 && out->size < MOST_BYTES) {
        mb_buf_put(out, bytes, (size_t)size);
    } else if (size >= 0 || errno != EINTR) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* Both to their ends. False if it was given up before. */
static bool read_both(struct child *child, struct mb_buf *out, struct mb_buf *complaint)
{
    while (child->fds[0] >= 0 || child->fds[1] >= 0) {
        struct pollfd fds[] = {{.fd = child->fds[0], .events = POLLIN},
                               {.fd = child->fds[1], .events = POLLIN}};
        int64_t left = child->until_ms - fps_now_ms();
        if (left <= 0 || (child->is_interruptible && mb_is_interrupted())) {
            return false;
        }
        if (poll(fds, MB_COUNT(fds), (int)left) < 0) {
            continue;
        }
        if (fds[0].revents != 0) {
            read_some(&child->fds[0], out);
        }
        if (fds[1].revents != 0) {
            read_some(&child->fds[1], complaint);
        }
    }
    return true;
}

static int wait_for(struct child *child, bool is_over)
{
    int status = 0;

    for (size_t i = 0; i < MB_COUNT(child->fds); i++) {
        if (child->fds[i] >= 0) {
            (void)close(child->fds[i]);
        }
    }
    if (!is_over) {
        (void)kill(child->id, SIGKILL);
    }
    while (waitpid(child->id, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Its own first line, the most specific one, without the messages about starting its server. */
static struct mb_text first_complaint(const struct mb_buf *complaint)
{
    struct mb_text rest = {(const char *)complaint->bytes, complaint->size};
    struct mb_text line = {"", 0};

    while (rest.size > 0) {
        line = mb_text_trim(mb_text_split(&rest, '\n'));
        if (line.size > 0 && line.data[0] != '*') {
            break;
        }
    }
    return line;
}

static enum mb_status fail_with_words(const struct mb_buf *words, int status, struct mb_error *err)
{
    struct mb_buf line = {0};

    mb_buf_put_printable(&line, first_complaint(words));
    mb_buf_put_u1(&line, '\0');
    const char *text = line.failed ? "" : (const char *)line.bytes;
    if (*text != '\0') {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", text);
    } else {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "ended with status %d without a message",
                      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    mb_error_in_input(err, ADB);
    mb_buf_finish(&line);
    return MB_IO;
}

/* adb shell COMMAND */
static enum mb_status start_adb(struct child *child, const struct fps_arguments *arguments,
                                const char *command, struct mb_error *err)
{
    const char *words[MOST_WORDS] = {ADB};
    size_t count = 1;

    if (arguments->serial != NULL) {
        words[count++] = "-s";
        words[count++] = arguments->serial;
    }
    words[count++] = "shell";
    words[count] = command;
    return start_child(child, (char **)(uintptr_t)words, err);
}

enum mb_status fps_ask_device(const struct fps_arguments *arguments, const char *command,
                              struct mb_buf *out, struct mb_error *err)
{
    struct mb_buf complaint = {0};
    struct child child = {
        .fds = {-1, -1}, .until_ms = fps_now_ms() + LONGEST_MS, .is_interruptible = true};

    MB_TRY(start_adb(&child, arguments, command, err));
    bool is_over = read_both(&child, out, &complaint);
    int status = wait_for(&child, is_over);
    enum mb_status result = mb_buf_check(out, err);
    if (result == MB_OK && mb_is_interrupted()) {
        result = mb_check_interrupt(err);
    } else if (result == MB_OK && !is_over) {
        result = mb_fail(err, MB_IO, MB_NO_OFFSET, "no answer for %d s", LONGEST_MS / 1000);
        mb_error_in_input(err, ADB);
    } else if (result == MB_OK && status != 0) {
        result = fail_with_words(&complaint, status, err);
    }
    mb_buf_finish(&complaint);
    return result;
}

void fps_command_device(const struct fps_arguments *arguments, const char *command)
{
    struct mb_buf ignored = {0};
    struct child child = {.fds = {-1, -1}, .until_ms = fps_now_ms() + LONGEST_COMMAND_MS};

    if (start_adb(&child, arguments, command, NULL) == MB_OK) {
        bool is_over = read_both(&child, &ignored, &ignored);
        (void)wait_for(&child, is_over);
    }
    mb_buf_finish(&ignored);
}
