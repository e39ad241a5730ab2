#include "base/helpers.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 250000000

static _Atomic(uint32_t) helpers;   /* that are inside begin and end */
static _Atomic(uint32_t) left_ever; /* how often one of them ended */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t main_key;
static bool has_main_key;

int mb_helper_create(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    sigset_t every;
    sigset_t before;

    (void)sigfillset(&every);
    (void)pthread_sigmask(SIG_SETMASK, &every, &before);
    int error = pthread_create(thread, NULL, run, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) {
        (void)pthread_detach(*thread);
    }
    return error;
}

void mb_helper_begin(void)
{
    atomic_fetch_add(&helpers, 1);
}

void mb_helper_end(void)
{
    /* In this order: see are_alone. */
    atomic_fetch_add(&left_ever, 1);
    atomic_fetch_sub(&helpers, 1);
}

/* The number of threads of the process. 0 if the main thread still runs, or if the number is
 * unknown. */
static uint32_t count_without_main(void)
{
    char line[1024];
    char state = '\0';
    unsigned count = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    size_t size = file != NULL ? fread(line, 1, sizeof(line) - 1, file) : 0;

    if (file != NULL) {
        (void)fclose(file);
    }
    line[size] = '\0';
    const char *behind_name = strrchr(line, ')'); /* proc(5): fields 3 and 20 */
    bool is_read = behind_name != NULL &&
                   sscanf(behind_name,
                          ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %u",
                          &state, &count) == 2;
    return is_read && state == 'Z' ? (uint32_t)count : 0;
}

/* True if only our threads are left, besides the main one, which has ended. All counted threads run
 * during the query, as none ends meanwhile: so no other thread can start one. */
static bool are_alone(void)
{
    uint32_t ended = atomic_load(&left_ever);
    uint32_t ours = atomic_load(&helpers);
    uint32_t threads = count_without_main();

    return threads == ours + 1 && atomic_load(&helpers) == ours && atomic_load(&left_ever) == ended;
}

static void *end_with_the_last(void *unused)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};

    mb_helper_begin();
    while (!are_alone()) {
        (void)nanosleep(&pause, NULL);
    }
    exit(0);
    return unused;
}

static void main_ends(void *unused)
{
    pthread_t thread;

    (void)unused;
    (void)mb_helper_create(&thread, end_with_the_last, NULL);
}

/* In a forked child: they are the parent's. */
static void forget_threads(void)
{
    atomic_store(&helpers, 0);
}

/* At the end of the process, or of a library that we are part of. */
static void delete_key(void)
{
    (void)pthread_key_delete(main_key);
}

static void prepare_once(void)
{
    has_main_key = pthread_atfork(NULL, NULL, forget_threads) == 0 &&
                   pthread_key_create(&main_key, main_ends) == 0;
    if (has_main_key && atexit(delete_key) != 0) {
        delete_key();
        has_main_key = false;
    }
}

void mb_helpers_expect_main_to_end(void)
{
    static char anything;

    (void)pthread_once(&once, prepare_once);
    if (has_main_key && (pid_t)syscall(SYS_gettid) == getpid()) {
        (void)pthread_setspecific(main_key, &anything);
    }
}
