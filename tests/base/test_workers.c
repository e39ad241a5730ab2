#include "base/workers.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TASKS 5000

struct record {
    atomic_int runs[TASKS];
    atomic_int busy[8]; /* by worker */
    size_t bad;         /* this task and all others of its residue fail */
};

static enum mb_status note(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct record *record = context;

    cr_assert(eq(int, atomic_fetch_add(&record->busy[worker], 1), 0));
    atomic_fetch_add(&record->runs[task], 1);
    atomic_fetch_sub(&record->busy[worker], 1);
    if (record->bad > 0 && task >= record->bad && task % 7 == record->bad % 7) {
        return mb_fail(err, MB_BAD_CLASS, task, "task %zu", task);
    }
    return MB_OK;
}

Test(workers, each_task_runs_once)
{
    static const unsigned counts[] = {1, 2, 8};

    for (size_t i = 0; i < MB_COUNT(counts); i++) {
        struct mb_workers *workers = mb_workers_create(counts[i]);
        struct record *record = calloc(1, sizeof(*record));
        for (int round = 1; round <= 3; round++) {
            cr_assert(eq(int, mb_workers_run(workers, TASKS, note, record, NULL), MB_OK));
            for (size_t task = 0; task < TASKS; task++) {
                cr_assert(eq(int, record->runs[task], round));
            }
        }
        cr_assert(eq(int, mb_workers_run(workers, 0, note, record, NULL), MB_OK));
        free(record);
        mb_workers_destroy(workers);
    }
}

Test(workers, the_lowest_failure_is_told_whatever_the_threads)
{
    for (unsigned count = 1; count <= 8; count += 7) {
        struct mb_workers *workers = mb_workers_create(count);
        for (size_t bad = 1; bad < TASKS; bad += 613) {
            struct record *record = calloc(1, sizeof(*record));
            struct mb_error err;
            record->bad = bad;
            cr_assert(eq(int, mb_workers_run(workers, TASKS, note, record, &err), MB_BAD_CLASS));
            cr_assert(eq(sz, err.offset, bad));
            for (size_t task = 0; task < bad; task++) {
                cr_assert(eq(int, record->runs[task], 1));
            }
            free(record);
        }
        mb_workers_destroy(workers);
    }
}

static enum mb_status remember_thread(void *context, unsigned worker, size_t task,
                                      struct mb_error *err)
{
    (void)worker;
    (void)task;
    (void)err;
    *(pthread_t *)context = pthread_self();
    return MB_OK;
}

Test(workers, one_task_needs_no_thread)
{
    struct mb_workers *workers = mb_workers_create(8);
    pthread_t thread;

    cr_assert(eq(int, mb_workers_run(workers, 1, remember_thread, &thread, NULL), MB_OK));
    cr_assert(pthread_equal(thread, pthread_self()));
    mb_workers_destroy(workers);
}
