/* Shares numbered tasks out to threads. */

#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include "base/error.h"

#include <stddef.h>

struct mb_workers;

/* worker is below the count given to mb_workers_create; no two tasks run under the same one at
 * the same time, so it may index scratch memory. */
typedef enum mb_status mb_task_fn(void *context, unsigned worker, size_t task,
                                  struct mb_error *err);

/* count threads, including the caller. Threads start when a run has tasks for them. NULL when out
 * of memory. Free with mb_workers_destroy. */
struct mb_workers *mb_workers_create(unsigned count);

/* NULL is accepted. Not while a run is going on. */
void mb_workers_destroy(struct mb_workers *workers);

unsigned mb_workers_count(const struct mb_workers *workers);

/* Run each task below task_count once, started in ascending order; the caller is worker 0. Returns
 * when all have ended. After a failure no further task starts; the error is that of the lowest
 * failed task, so it does not depend on threads. If the system refuses threads, fewer share the
 * work. */
MB_MUST_CHECK enum mb_status mb_workers_run(struct mb_workers *workers, size_t task_count,
                                            mb_task_fn *run, void *context, struct mb_error *err);

#endif
