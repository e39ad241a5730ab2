#include "base/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STACK_BYTES = 8 << 20 };

struct worker_thread {
    struct mb_workers *workers;
    pthread_t thread;
    unsigned number;
};

struct mb_workers {
    unsigned count;   /* with the caller */
    unsigned started; /* threads, without the caller */
    struct worker_thread *threads;

    pthread_mutex_t lock;
    pthread_cond_t wake; /* a run began, or stop */
    pthread_cond_t idle; /* busy fell to 0 */
    unsigned round;      /* counts runs */
    unsigned busy;       /* threads that still have to finish this round */
    bool stop;

    /* The current run. Written by the caller before `round` changes under the lock. */
    mb_task_fn *run;
    void *context;
    size_t task_count;
    atomic_size_t next_task;

    /* The failure of the lowest task; under the lock. */
    size_t failed_task;
    struct mb_error failure;
};

struct mb_workers *mb_workers_create(unsigned count)
{
    struct mb_workers *workers = calloc(1, sizeof(*workers));

    if (workers == NULL) {
        return NULL;
    }
    workers->count = count > 0 ? count : 1;
    workers->threads = calloc(workers->count, sizeof(*workers->threads));
    if (workers->threads == NULL) {
        free(workers);
        return NULL;
    }
    (void)pthread_mutex_init(&workers->lock, NULL);
    (void)pthread_cond_init(&workers->wake, NULL);
    (void)pthread_cond_init(&workers->idle, NULL);
    return workers;
}

void mb_workers_destroy(struct mb_workers *workers)
{
    if (workers == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&workers->lock);
    workers->stop = true;
    (void)pthread_cond_broadcast(&workers->wake);
    (void)pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->started; i++) {
        (void)pthread_join(workers->threads[i].thread, NULL);
    }
    (void)pthread_cond_destroy(&workers->idle);
    (void)pthread_cond_destroy(&workers->wake);
    (void)pthread_mutex_destroy(&workers->lock);
    free(workers->threads);
    free(workers);
}

unsigned mb_workers_count(const struct mb_workers *workers)
{
    return workers->count;
}

/* All tasks below a failed one have begun, so the lowest failure is always among the stored ones.
 */
static void keep_failure(struct mb_workers *workers, size_t task, const struct mb_error *err)
{
    atomic_store_explicit(&workers->next_task, workers->task_count, memory_order_relaxed);
    (void)pthread_mutex_lock(&workers->lock);
    if (workers->failure.status == MB_OK || task < workers->failed_task) {
        workers->failed_task = task;
        workers->failure = *err;
    }
    (void)pthread_mutex_unlock(&workers->lock);
}

static void take_tasks(struct mb_workers *workers, unsigned worker)
{
    for (;;) {
        struct mb_error err;
        /* Only the counter is shared; the lock publishes the results of tasks. */
        size_t task = atomic_fetch_add_explicit(&workers->next_task, 1, memory_order_relaxed);
        if (task >= workers->task_count) {
            return;
        }
        if (workers->run(workers->context, worker, task, &err) != MB_OK) {
            keep_failure(workers, task, &err);
        }
    }
}

static void *thread_main(void *argument)
{
    const struct worker_thread *self = argument;
    struct mb_workers *workers = self->workers;
    unsigned seen = 0;

    (void)pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (workers->round == seen && !workers->stop) {
            (void)pthread_cond_wait(&workers->wake, &workers->lock);
        }
        if (workers->stop) {
            break;
        }
        seen = workers->round;
        (void)pthread_mutex_unlock(&workers->lock);
        take_tasks(workers, self->number);
        (void)pthread_mutex_lock(&workers->lock);
        if (--workers->busy == 0) {
            (void)pthread_cond_signal(&workers->idle);
        }
    }
    (void)pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* With the stack that glibc's threads have by default, and all tests had; musl's have 128 KiB. */
static bool start_thread(struct worker_thread *thread)
{
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    bool is_started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                      pthread_create(&thread->thread, &attributes, thread_main, thread) == 0;
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}

/* Under the lock, between runs: a new thread waits for the next round, or finds it begun. */
static void start_threads(struct mb_workers *workers, size_t wanted)
{
    while (workers->started < wanted && workers->started + 1 < workers->count) {
        struct worker_thread *thread = &workers->threads[workers->started];
        *thread = (struct worker_thread){.workers = workers, .number = workers->started + 1};
        if (!start_thread(thread)) {
            return;
        }
        workers->started++;
    }
}

static void share_tasks(struct mb_workers *workers)
{
    (void)pthread_mutex_lock(&workers->lock);
    start_threads(workers, workers->task_count - 1);
    workers->busy = workers->started;
    workers->round++;
    (void)pthread_cond_broadcast(&workers->wake);
    (void)pthread_mutex_unlock(&workers->lock);

    take_tasks(workers, 0);

    (void)pthread_mutex_lock(&workers->lock);
    while (workers->busy > 0) {
        (void)pthread_cond_wait(&workers->idle, &workers->lock);
    }
    (void)pthread_mutex_unlock(&workers->lock);
}

enum mb_status mb_workers_run(struct mb_workers *workers, size_t task_count, mb_task_fn *run,
                              void *context, struct mb_error *err)
{
    workers->run = run;
    workers->context = context;
    workers->task_count = task_count;
    workers->failure.status = MB_OK;
    atomic_store_explicit(&workers->next_task, 0, memory_order_relaxed);
    if (task_count <= 1 || workers->count == 1) {
        take_tasks(workers, 0);
    } else {
        share_tasks(workers);
    }
    if (workers->failure.status != MB_OK && err != NULL) {
        *err = workers->failure;
    }
    return workers->failure.status;
}
