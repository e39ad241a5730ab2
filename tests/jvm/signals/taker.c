/* Preloaded into a JVM: what else in a process may do with signals, by TAKER: block has all threads
 * block them, wait has one of these take what comes, handler and default set another disposition of
 * the one that has a handler after a while, small has threads whose stacks are too small for a
 * handler, naps counts naps that a signal ends. Loaded by Java with exec, it becomes another
 * program. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SMALL 16384
#define USED 11000

static const int used_signals[] = {SIGURG, SIGWINCH, SIGPROF};
#define USED_SIGNALS (sizeof(used_signals) / sizeof(used_signals[0]))

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

/* 0: none has one yet. */
static int find_used(void)
{
    struct sigaction now;

    for (size_t i = 0; i < USED_SIGNALS; i++) {
        if (sigaction(used_signals[i], NULL, &now) == 0 && now.sa_handler != SIG_DFL) {
            return used_signals[i];
        }
    }
    return 0;
}

static void set_late(void (*handler)(int))
{
    struct sigaction theirs = {.sa_handler = handler};

    while (find_used() == 0) {
        nap(10);
    }
    nap(500);
    (void)sigaction(find_used(), &theirs, NULL);
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

static void fill(sigset_t *all)
{
    (void)sigemptyset(all);
    for (size_t i = 0; i < USED_SIGNALS; i++) {
        (void)sigaddset(all, used_signals[i]);
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        (void)sigaddset(all, number);
    }
}

static void *run_wait(void *unused)
{
    sigset_t all;

    fill(&all);
    while (sigwaitinfo(&all, NULL) >= 0) {
        (void)fputs("taker: it took a signal\n", stderr);
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
    if (strcmp(mode, "block") == 0 || strcmp(mode, "wait") == 0) {
        fill(&all);
        (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
    }
    if (strcmp(mode, "wait") == 0) {
        start(run_wait, 0);
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

/* Of a class that loads us: on a thread of Java that is on a processor until now. */
int JNI_OnLoad(void *vm, void *unused);
int JNI_OnLoad(void *vm, void *unused)
{
    const char *mode = getenv("TAKER");

    (void)vm;
    (void)unused;
    if (mode != NULL && strcmp(mode, "exec") == 0) {
        (void)execl("/bin/echo", "echo", "ended", (char *)NULL);
    }
    return 0x00010006;
}
