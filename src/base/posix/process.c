#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#endif

#include "base/platform_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE 8192

/* Without a desktop xdg-open tries browsers for terminals in turn, each with a complaint. */
#if defined(__APPLE__)
#define SHOWS_PAGES "open"
#define HAS_DESKTOP true
#else
#define SHOWS_PAGES "xdg-open"
#define HAS_DESKTOP (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") || getenv("BROWSER"))
#endif

extern char **environ;

/* What the streams of a program are on both sides; -1 if none. */
struct ends {
    int ours[3];
    int its[3];
};

static void close_all(int fds[3])
{
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
        fds[i] = -1;
    }
}

/* A pipe that programs inherit only on request. */
static bool open_pipe(struct ends *ends, int stream)
{
    int pair[2];

    if (pipe(pair) != 0) {
        return false;
    }
    (void)fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    ends->ours[stream] = pair[0];
    ends->its[stream] = pair[1];
    return true;
}

static int add_stream(posix_spawn_file_actions_t *actions, const struct ends *ends, int stream,
                      int wanted)
{
    if (wanted == MB_STREAM_OURS) {
        return 0;
    }
    if (wanted == MB_STREAM_NULL) {
        return posix_spawn_file_actions_addopen(actions, stream, "/dev/null",
                                                stream == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
    }
    return posix_spawn_file_actions_adddup2(
        actions, wanted == MB_STREAM_PIPE ? ends->its[stream] : wanted, stream);
}

static int add_actions(posix_spawn_file_actions_t *actions, const struct ends *ends,
                       const struct mb_program *program)
{
    const int wanted[] = {program->input, program->output, program->complaints};
    int failure = 0;

    for (int i = 0; i < 3 && failure == 0; i++) {
        failure = add_stream(actions, ends, i, wanted[i]);
    }
    return failure == 0 && program->folder != NULL
               ? posix_spawn_file_actions_addchdir_np(actions, program->folder)
               : failure;
}

static int spawn(pid_t *id, const struct mb_program *program, const struct ends *ends)
{
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);

    if (failure != 0) {
        return failure;
    }
    failure = add_actions(&actions, ends, program);
    if (failure == 0) {
        failure = posix_spawnp(id, program->words[0], &actions, NULL,
                               (char **)(uintptr_t)program->words, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

bool mb_process_start(struct mb_process *process, const struct mb_program *program)
{
    struct ends ends = {{-1, -1, -1}, {-1, -1, -1}};
    pid_t id = -1;
    bool has_pipes = (program->output != MB_STREAM_PIPE || open_pipe(&ends, STDOUT_FILENO)) &&
                     (program->complaints != MB_STREAM_PIPE || open_pipe(&ends, STDERR_FILENO));
    int failure = has_pipes ? spawn(&id, program, &ends) : errno;

    close_all(ends.its);
    if (failure != 0) {
        close_all(ends.ours);
    }
    *process = (struct mb_process){id, {ends.ours[STDOUT_FILENO], ends.ours[STDERR_FILENO]}};
    errno = failure;
    return failure == 0;
}

static void close_pipe(intptr_t *pipe)
{
    if (*pipe >= 0) {
        (void)close((int)*pipe);
    }
    *pipe = -1;
}

/* Closes it at its end. */
static void read_some(intptr_t *pipe, struct mb_buf *out)
{
    uint8_t bytes[READ_SIZE];
    ssize_t got = read((int)*pipe, bytes, sizeof(bytes));

    if (got > 0) {
        mb_buf_put(out, bytes, (size_t)got);
    } else if (got == 0 || errno != EINTR) {
        close_pipe(pipe);
    }
}

bool mb_process_read(struct mb_process *process, int ms, struct mb_buf *output,
                     struct mb_buf *complaints)
{
    struct pollfd fds[] = {{.fd = (int)process->pipes[0], .events = POLLIN},
                           {.fd = (int)process->pipes[1], .events = POLLIN}};

    if (process->pipes[0] < 0 && process->pipes[1] < 0) {
        return false;
    }
    if (poll(fds, MB_COUNT(fds), ms) < 0) {
        return true;
    }
    if (fds[0].revents != 0) {
        read_some(&process->pipes[0], output);
    }
    if (fds[1].revents != 0) {
        read_some(&process->pipes[1], complaints);
    }
    return process->pipes[0] >= 0 || process->pipes[1] >= 0;
}

void mb_process_end(const struct mb_process *process, enum mb_end end)
{
    (void)kill((pid_t)process->id, end == MB_END_ASK ? SIGTERM : SIGKILL);
}

bool mb_process_wait(struct mb_process *process, int *code)
{
    int status = 0;

    close_pipe(&process->pipes[0]);
    close_pipe(&process->pipes[1]);
    if (waitpid((pid_t)process->id, &status, 0) < 0) {
        return false;
    }
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

enum mb_status mb_show_page(const char *path, int *code, struct mb_error *err)
{
    const struct mb_program program = {(const char *const[]){SHOWS_PAGES, path, NULL}, NULL,
                                       MB_STREAM_OURS, MB_STREAM_OURS, MB_STREAM_OURS};
    struct mb_process process;

    *code = 0;
    if (!HAS_DESKTOP) {
        return MB_OK;
    }
    if (!mb_process_start(&process, &program)) {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "cannot be started: %s", strerror(errno));
        mb_error_in_input(err, SHOWS_PAGES);
        return MB_IO;
    }
    while (!mb_process_wait(&process, code)) {
        if (errno != EINTR) {
            return mb_fail_errno(err, "it is lost");
        }
        mb_process_end(&process, MB_END_ASK); /* what came for us is for it */
    }
    return MB_OK;
}
