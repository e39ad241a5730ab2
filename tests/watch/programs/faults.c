/* Memory, threads and keys that cannot be had, one after the other: the monitors are off then, and
 * the program goes on. */

#include "monitor/watch/methodbeat_watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 400

static _Atomic(int) left = -1; /* calls until one fails; negative: none does */
static _Atomic(int) lines;
static _Atomic(int) issues;

static bool fails(void)
{
    return atomic_fetch_sub(&left, 1) == 0;
}

#define WRAP(type, name, parameters, arguments, failure)      \
    extern type __real_##name parameters;                     \
    type __wrap_##name parameters;                            \
    type __wrap_##name parameters                             \
    {                                                         \
        return fails() ? (failure) : __real_##name arguments; \
    }

WRAP(void *, malloc, (size_t size), (size), NULL)
WRAP(void *, calloc, (size_t count, size_t size), (count, size), NULL)
WRAP(void *, realloc, (void *place, size_t size), (place, size), NULL)
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *context),
     (thread, how, run, context), EAGAIN)
WRAP(int, pthread_key_create, (pthread_key_t * key, void (*end)(void *)), (key, end), EAGAIN)
WRAP(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOMEM)

static void count_line(const char *line)
{
    (void)line;
    atomic_fetch_add(&lines, 1);
}

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)issue;
    atomic_fetch_add(&issues, 1);
}

static void *run_loop(void *unused)
{
    const struct timespec time = {.tv_nsec = 15000000};

    for (int i = 0; i < 2; i++) {
        watch_begin();
        (void)nanosleep(&time, NULL);
        watch_end();
    }
    return unused;
}

int main(void)
{
    int refused = 0;

    (void)watch_set("evil_ms", "10");
    (void)watch_set("stall_ms", "10");
    watch_log_to(count_line);
    (void)watch_listen(hear, NULL);
    for (int nth = 0; nth < MOST; nth += nth < 40 ? 1 : 37) {
        pthread_t loop;
        int before = atomic_load(&lines);
        if (__real_pthread_create(&loop, NULL, run_loop, NULL) != 0) {
            return 1;
        }
        atomic_store(&left, nth);
        bool runs = watch_start();
        refused += !runs;
        if (!runs && atomic_load(&lines) != before + 1) {
            (void)printf("fault %d: %d lines\n", nth, atomic_load(&lines) - before);
            return 1;
        }
        (void)pthread_join(loop, NULL);
        watch_stop();
        atomic_store(&left, -1);
    }
    bool runs = watch_start();
    (void)run_loop(NULL);
    watch_stop();
    (void)printf("%d starts refused, %d lines, %d issues\n", refused, atomic_load(&lines),
                 atomic_load(&issues));
    return runs && refused > 0 && atomic_load(&issues) > 0 ? 0 : 1;
}
