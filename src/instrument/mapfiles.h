/* methodMapping.txt, ignoreMethodMapping.txt and --explain, made in steps by any threads while classes
 * are rewritten. That may find methods which a limit keeps from being traced; then all is made
 * again. */

#ifndef INSTRUMENT_MAPFILES_H
#define INSTRUMENT_MAPFILES_H

#include "instrument/run.h"

struct ins_mapfiles;

/* For a run whose ids are given out. NULL when out of memory. */
struct ins_mapfiles *ins_mapfiles_create(struct ins_run *run);

/* The next step; false if there is none left, or one has failed. Any thread. */
bool ins_mapfiles_step(struct ins_mapfiles *files, unsigned worker);

/* All steps are to be done once more, when they have been done and what the files say has changed. */
void ins_mapfiles_restart(struct ins_mapfiles *files);

/* When all steps are done, and once: tells whether one has failed, or a file could not be closed.
 * Accepts NULL. */
MB_MUST_CHECK enum mb_status ins_mapfiles_finish(struct ins_mapfiles *files, struct mb_error *err);

#endif
