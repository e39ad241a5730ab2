/* Preloaded into a JVM: what else in a process may do with signals, by TAKER: block has all threads
 * block them, handler and default set another disposition of SIGPROF after a while, small has
 * threads whose stacks are too small for a handler, naps counts naps that a signal ends. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMALL 16384
#define USED 11000

static volatile char sink;

static void nap(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    if (nanosleep(&time, NULL) != 0 && errno == EINTR) {
        (void)fprintf(stderr, "taker: a nap was ended\n");
    }
}

static void ignore(int number)
{
    (void)number;
}

static void set_late(void (*handler)(int))
{
    struct sigaction theirs = {.sa_handler = handler};

    nap(700);
    (void)sigaction(SIGPROF, &theirs, NULL);
}

static void *run_handler(void *unused)
{
    set_late(ignore);
    return unused;
}

static void *run_default(void *unused)
{
    set_late(SIG_DFL);
    return unused;
}

static void *run_small(void *unused)
{
    volatile char used[USED];

    for (;;) {
        for (size_t i = 0; i < sizeof(used); i++) {
            used[i] = (char)i;
        }
        sink = used[100];
    }
    return unused;
}

static void *run_naps(void *unused)
{
    for (int i = 0; i < 4000; i++) {
        nap(1);
    }
    return unused;
}

static void start(void *(*run)(void *), size_t stack)
{
    pthread_attr_t attributes;
    pthread_t thread;

    (void)pthread_attr_init(&attributes);
    if (stack != 0) {
        (void)pthread_attr_setstacksize(&attributes, stack);
    }
    (void)pthread_create(&thread, &attributes, run, NULL);
}

__attribute__((constructor)) static void take(void)
{
    const char *mode = getenv("TAKER");
    sigset_t all;

    if (mode == NULL) {
        return;
    }
    if (strcmp(mode, "block") == 0) {
        (void)sigemptyset(&all);
        (void)sigaddset(&all, SIGPROF);
        for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
            (void)sigaddset(&all, number);
        }
        (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
    } else if (strcmp(mode, "handler") == 0) {
        start(run_handler, 0);
    } else if (strcmp(mode, "default") == 0) {
        start(run_default, 0);
    } else if (strcmp(mode, "small") == 0) {
        start(run_small, SMALL);
        start(run_small, SMALL);
    } else if (strcmp(mode, "naps") == 0) {
        start(run_naps, 0);
    }
}
