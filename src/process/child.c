#include "process/child.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 20000000L
#define NOT_STARTED 126
#define NOT_FOUND 127
#define SIGNALLED 128

extern char **environ;

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

static volatile pid_t child;

static void forward_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0) { /* a process sent it, not the terminal */
        int saved = errno;
        (void)kill(child, number);
        errno = saved;
    }
}

/* Ignored signals, as under nohup, stay ignored. */
static void handle_signals(bool forwards)
{
    for (size_t i = 0; i < MB_COUNT(forwarded); i++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART,
                                   .sa_sigaction = forward_signal};
        struct sigaction old;
        if (!forwards) {
            action = (struct sigaction){.sa_handler = SIG_DFL};
        }
        if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            (void)sigaction(forwarded[i], &action, NULL);
        }
    }
}

/* Signals are blocked meanwhile; the program starts with mask, and without the signals that main
 * ignores. */
static int spawn_child(char **argv, const sigset_t *mask)
{
    posix_spawnattr_t attributes;
    sigset_t ours;
    pid_t id;

    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGXFSZ);
    int failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        return failure;
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setsigdefault(&attributes, &ours);
    (void)posix_spawnattr_setsigmask(&attributes, mask);
    failure = posix_spawnp(&id, argv[0], NULL, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    child = id;
    return failure;
}

/* False if the program ends before. */
static bool wait_for_alarm(uint64_t seconds)
{
    const struct timespec step = {.tv_nsec = STEP_NS};
    int64_t end_ns = mb_clock_now_ns() + (int64_t)seconds * MB_NS_PER_S;
    siginfo_t info;

    do {
        (void)nanosleep(&step, NULL);
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid != 0) {
            return false;
        }
    } while (mb_clock_now_ns() < end_ns);
    return true;
}

static int wait_for_child(const struct proc_child_alarm *alarm)
{
    int status;

    if (alarm != NULL && alarm->seconds > 0 && wait_for_alarm(alarm->seconds)) {
        alarm->ring(alarm->context, child);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return NOT_STARTED;
        }
    }
    return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static enum mb_status fail_to_start(const char *program, int failure, struct mb_error *err)
{
    return mb_fail_in(err, MB_IO, program, "cannot be started: %s", strerror(failure));
}

enum mb_status proc_child_run(char **argv, const struct proc_child_alarm *alarm, int *code,
                              struct mb_error *err)
{
    sigset_t blocked;
    sigset_t before;

    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < MB_COUNT(forwarded); i++) {
        (void)sigaddset(&blocked, forwarded[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &blocked, &before);
    handle_signals(true);
    int failure = spawn_child(argv, &before);
    if (failure != 0) {
        *code = failure == ENOENT ? NOT_FOUND : NOT_STARTED;
        return fail_to_start(argv[0], failure, err);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    *code = wait_for_child(alarm);
    handle_signals(false);
    return MB_OK;
}
