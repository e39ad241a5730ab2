/* methodMapping.txt, ignoreMethodMapping.txt and --explain, as tasks for any threads while classes
 * are rewritten. That may find methods which a limit keeps from being traced; then all is made
 * again. */

#ifndef INSTRUMENT_MAPFILES_H
#define INSTRUMENT_MAPFILES_H

#include "instrument/run.h"

struct ins_mapfiles;

/* For a run whose ids are given out. NULL when out of memory. */
struct ins_mapfiles *ins_mapfiles_create(struct ins_run *run);
size_t ins_mapfiles_task_count(const struct ins_mapfiles *files);

/* Tasks must be begun in their order. The first finds out what there is to write. */
MB_MUST_CHECK enum mb_status ins_mapfiles_do(struct ins_mapfiles *files, unsigned worker,
                                             size_t task, struct mb_error *err);

/* All tasks once more, when all have been done and what the files say has changed. */
MB_MUST_CHECK enum mb_status ins_mapfiles_do_again(struct ins_mapfiles *files,
                                                   struct mb_error *err);

/* When all tasks are done, and once: may tell that a file could not be closed. Accepts NULL. */
MB_MUST_CHECK enum mb_status ins_mapfiles_finish(struct ins_mapfiles *files, struct mb_error *err);

#endif
