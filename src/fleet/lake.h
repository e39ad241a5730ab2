/* The folder of a fleet:
 *
 *     LAKE/TABLE/day=YYYY-MM-DD/BATCH.parquet
 *     LAKE/uploads/BATCH.ndjson     the uploads of one load, a line each; written last
 *     LAKE/lock                     one load at a time
 *     LAKE/.loading-BATCH/          a load that is under way, or was killed
 *
 * A file whose batch has no uploads is not there for the next load, which removes it. */

#ifndef FLEET_LAKE_H
#define FLEET_LAKE_H

#include "base/strmap.h"
#include "base/text.h"

struct fleet_lake {
    const char *folder; /* borrowed */
    char batch[40];
    char staging[64]; /* in the lake */
    int lock;
    struct mb_strmap uploads; /* the known ones, by id */
    bool has_rows;            /* an earlier load is there */
    bool had_cut;             /* an earlier upload was cut off */
};

/* Make the folder if it is absent, wait for other loads, clean up after those that were killed, and
 * make the staging folder. Finish also after a failure, which removes the staging folder. */
MB_MUST_CHECK enum mb_status fleet_lake_open(struct fleet_lake *lake, const char *folder,
                                             struct mb_error *err);
void fleet_lake_finish(struct fleet_lake *lake);

/* Open a file in the staging folder for writing; -1 with errno. */
int fleet_lake_stage(const struct fleet_lake *lake, const char *name);

/* Move the staged files TABLE/day=.../BATCH.parquet of that day in, if they are there. */
MB_MUST_CHECK enum mb_status fleet_lake_take(const struct fleet_lake *lake, const char *day,
                                             struct mb_error *err);

/* The load is there from here on: its uploads, a line each. */
MB_MUST_CHECK enum mb_status fleet_lake_commit(const struct fleet_lake *lake,
                                               const struct mb_buf *uploads, struct mb_error *err);

/* Append conditions, " AND filename NOT LIKE ...", that leave out what a load under way, or a
 * killed one, has moved in so far. */
MB_MUST_CHECK enum mb_status fleet_lake_put_loading(struct mb_buf *sql, const char *folder,
                                                    struct mb_error *err);

/* The last day of the table issues, in a text of 11 bytes; false without one. */
bool fleet_lake_last_day(const char *folder, char *day);

#endif
