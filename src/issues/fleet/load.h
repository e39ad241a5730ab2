/* Uploads into a lake, of rows or of what the monitors wrote: rows are checked here, and sorted and
 * freed of doubles by the engine. */

#ifndef ISSUES_FLEET_LOAD_H
#define ISSUES_FLEET_LOAD_H

#include "base/error.h"
#include "issues/fleet/check.h"
#include "issues/fleet/rows.h"

#include <stdint.h>

struct fleet_load {
    const char *folder; /* of the uploads, at any depth: rows, named .ndjson and .ndjson.zst, and
                           issues, named .json, .ndjson, .json.gz and .ndjson.gz */
    struct fleet_rows *rows; /* for issues; its writer is set here */
    const char *into;
    const char *engine; /* as for fleet_engine_ask */
    bool needs_names;   /* an upload of issues that lack a map or mapping is left to a later load */
    /* Called for an upload that is cut off or cannot be read; the load goes on. */
    void (*warn)(const struct mb_error *err);
};

struct fleet_loaded {
    uint64_t uploads;
    uint64_t known; /* that were loaded before */
    uint64_t cut;
    uint64_t aside; /* files and folders that cannot be read, each of which was told */
    uint64_t rows[FLEET_TABLE_COUNT]; /* that came */
    uint64_t kept[FLEET_TABLE_COUNT]; /* of these; the others are doubles */
    uint64_t doubts[FLEET_DOUBT_COUNT];
};

/* All or nothing. An upload is of the day in its path, day=YYYY-MM-DD, or of its last change. */
MB_MUST_CHECK enum mb_status fleet_load_run(const struct fleet_load *load,
                                            struct fleet_loaded *loaded, struct mb_error *err);

/* A lake in fewer files, and without the rows of devices or days that are to be forgotten. */

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
