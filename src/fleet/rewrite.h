/* A lake in fewer files, and without the rows of devices or days that are to be forgotten. */

#ifndef FLEET_REWRITE_H
#define FLEET_REWRITE_H

#include "base/error.h"

#include <stdint.h>

struct fleet_rewrite {
    const char *lake;
    const char *engine;  /* as for fleet_engine_ask */
    const char *devices; /* to be forgotten, by commas; NULL if all stay */
    const char *before;  /* YYYY-MM-DD: earlier days of receipt go; NULL if all stay */
};

struct fleet_rewritten {
    uint64_t files_before;
    uint64_t files;
    uint64_t gone; /* rows */
};

/* All or nothing, and one load or rewriting at a time: questions see the lake as it was, or as it
 * is to be. Files that it replaces are removed. Uploads that were loaded are not loaded again. */
MB_MUST_CHECK enum mb_status fleet_rewrite_run(const struct fleet_rewrite *rewrite,
                                               struct fleet_rewritten *rewritten,
                                               struct mb_error *err);

#endif
