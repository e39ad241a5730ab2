/* Run a command and append one line to FILE: wall, user and system time in microseconds, peak
 * resident memory in KiB. A program of its own since what a process reports as its peak counts the
 * memory of the one it was forked from.
 *
 * usage: timed FILE COMMAND [ARGUMENT...]
 * exits as the command does. */

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long microseconds(struct timeval time)
{
    return (long long)time.tv_sec * 1000000 + time.tv_usec;
}

static long long now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    long long start;
    long long wall;
    FILE *result;
    pid_t child;
    int status;
    int failure;

    if (argc < 3) {
        fputs("usage: timed FILE COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    start = now();
    failure = posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ);
    if (failure != 0) {
        fprintf(stderr, "timed: %s: %s\n", argv[2], strerror(failure));
        return 127;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    wall = now() - start;
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    result = fopen(argv[1], "a");
    if (result == NULL) {
        perror(argv[1]);
        return 1;
    }
    fprintf(result, "%lld %lld %lld %ld\n", wall, microseconds(usage.ru_utime),
            microseconds(usage.ru_stime), usage.ru_maxrss);
    if (fclose(result) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
