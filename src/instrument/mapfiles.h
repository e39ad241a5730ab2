/* methodMapping.txt, ignoreMethodMapping.txt and --explain, as tasks for any threads: to be done
 * when all classes have been rewritten, which may have found methods that a limit keeps from being
 * traced, while the last outputs are still on their way to the disk. */

#ifndef INSTRUMENT_MAPFILES_H
#define INSTRUMENT_MAPFILES_H

#include "instrument/conveyor.h"

struct ins_mapfiles;

/* For a run whose ids are given out. The conveyor, borrowed, tells when classes are rewritten. NULL
 * when out of memory. */
struct ins_mapfiles *ins_mapfiles_create(struct ins_run *run, struct ins_conveyor *conveyor);
size_t ins_mapfiles_task_count(const struct ins_mapfiles *files);

/* Tasks must be begun in their order. The first waits for the conveyor and finds out what there is to
 * write: nothing if the conveyor was stopped. */
MB_MUST_CHECK enum mb_status ins_mapfiles_do(struct ins_mapfiles *files, unsigned worker,
                                             size_t task, struct mb_error *err);

/* When all tasks are done, and once: may tell that a file could not be closed. Accepts NULL. */
MB_MUST_CHECK enum mb_status ins_mapfiles_finish(struct ins_mapfiles *files, struct mb_error *err);

#endif
