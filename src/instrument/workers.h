/* Shares numbered tasks out to threads. */

#ifndef INSTRUMENT_WORKERS_H
#define INSTRUMENT_WORKERS_H

#include "base/error.h"

#include <stddef.h>

struct ins_workers;

/* worker is below the count given to ins_workers_create; no two tasks run under the same one at
 * the same time, so it may index scratch memory. */
typedef enum mb_status ins_task_fn(void *context, unsigned worker, size_t task,
                                   struct mb_error *err);

/* count threads, the caller being one. No thread starts before a run has tasks for it.
 * NULL when out of memory. Free with ins_workers_destroy. */
struct ins_workers *ins_workers_create(unsigned count);

/* NULL is accepted. Not while a run is going on. */
void ins_workers_destroy(struct ins_workers *workers);

unsigned ins_workers_count(const struct ins_workers *workers);

/* Run each task below task_count once, started in ascending order; the caller is worker 0. Returns
 * when all have ended. After a failure no further task starts; the failure of the lowest task is
 * the one that is told, so it does not depend on threads. If the system has no threads left, fewer
 * share the work. */
MB_MUST_CHECK enum mb_status ins_workers_run(struct ins_workers *workers, size_t task_count,
                                             ins_task_fn *run, void *context, struct mb_error *err);

#endif
