/* The folder of a fleet:
 *
 *     LAKE/TABLE/day=YYYY-MM-DD/BATCH.parquet
 *     LAKE/uploads/BATCH.ndjson     the uploads of one load, a line each; written last. One named
 *                                   -all replaces loads, which its first line names
 *     LAKE/lock                     one load at a time
 *     LAKE/.loading-BATCH/          a load that is under way, or was killed
 *
 * A file whose batch has no uploads is not there for questions, nor for the next load, which
 * removes it. */

#ifndef ISSUES_FLEET_LAKE_H
#define ISSUES_FLEET_LAKE_H

#include "base/error.h"
#include "base/strmap.h"
#include "base/text.h"
#include "issues/fleet/schema.h"

#include <stdbool.h>

struct fleet_lake {
    const char *folder; /* borrowed */
    char batch[40];
    char staging[64]; /* in the lake */
    int lock;
    struct mb_strmap uploads; /* the known ones, by id */
    bool had_cut;             /* an earlier upload was cut off */
};

/* Make the folder if it is absent, wait for other loads, clean up after those that were killed, and
 * make the staging folder. Finish also after a failure, which removes the staging folder. */
MB_MUST_CHECK enum mb_status fleet_lake_open(struct fleet_lake *lake, const char *folder,
                                             struct mb_error *err);
void fleet_lake_finish(struct fleet_lake *lake);

/* Rows on their way into files of the staging folder, one for each table. Zeroed, but for fd. */
struct fleet_staged {
    struct {
        int fd;        /* below 0: none */
        uint64_t size; /* of what the file has */
        struct mb_buf rows;
    } tables[FLEET_TABLE_COUNT];
    bool is_full; /* the disk, for the rows that were written last */
};

/* Close also after a failure; again, it does nothing. */
MB_MUST_CHECK enum mb_status fleet_staged_open(struct fleet_staged *staged,
                                               const struct fleet_lake *lake, struct mb_error *err);
MB_MUST_CHECK enum mb_status fleet_staged_close(struct fleet_staged *staged, struct mb_error *err);

/* Write the rows of a table; if they are many; those of all tables. */
MB_MUST_CHECK enum mb_status fleet_staged_write(struct fleet_staged *staged, size_t table,
                                                struct mb_error *err);
MB_MUST_CHECK enum mb_status fleet_staged_take(struct fleet_staged *staged, size_t table,
                                               struct mb_error *err);
MB_MUST_CHECK enum mb_status fleet_staged_write_all(struct fleet_staged *staged,
                                                    struct mb_error *err);

/* Drop rows that are not written, and end the file of the table there. */
MB_MUST_CHECK enum mb_status fleet_staged_cut(struct fleet_staged *staged, size_t table,
                                              uint64_t size, struct mb_error *err);

/* Move the staged files TABLE/day=.../BATCH.parquet of that day in, if they are there. */
MB_MUST_CHECK enum mb_status fleet_lake_take(const struct fleet_lake *lake, const char *day,
                                             struct mb_error *err);

/* The load is there from here on: its uploads, a line each. */
MB_MUST_CHECK enum mb_status fleet_lake_commit(const struct fleet_lake *lake,
                                               const struct mb_buf *uploads, struct mb_error *err);

/* path is name in its folder. */
typedef enum mb_status fleet_take(void *context, const char *path, const char *name,
                                  struct mb_error *err);

/* ---- Rewriting ---- */

#define FLEET_LAKE_TABLES (FLEET_TABLE_COUNT + 1u)

/* The folder of a table, by enum fleet_table; the last one is `buckets`, which older lakes have. */
const char *fleet_lake_table(size_t i);

/* True if a file of the table is there, of whichever load, and of no day before since unless that
 * is NULL. */
bool fleet_lake_has(const char *folder, const char *table, const char *since);

/* Take the days that such files are of: path is that of a folder, name day=YYYY-MM-DD. */
MB_MUST_CHECK enum mb_status fleet_lake_each_day(const char *folder, const char *table,
                                                 const char *since, fleet_take *take, void *context,
                                                 struct mb_error *err);

/* The batch becomes one that replaces all others. */
void fleet_lake_begin_rewriting(struct fleet_lake *lake);

/* Where the batch has the rows of a table and day: a path of FLEET_PATH_SIZE. */
void fleet_lake_name(char *path, const struct fleet_lake *lake, const char *table, const char *day);

/* How many bytes the line takes that names replaced loads; 0 without one. */
size_t fleet_lake_skip_replaced(const struct mb_buf *uploads);

/* From here on the batch is there in place of all others, whose files the next opening removes. */
MB_MUST_CHECK enum mb_status fleet_lake_replace(const struct fleet_lake *lake,
                                                const struct mb_buf *uploads, struct mb_error *err);

/* ---- What questions see ---- */

#define FLEET_NO_LOAD "there is no load: methodbeat fleet load makes one"

/* Append the names of the loads that are there, as a list of texts in SQL; day becomes the last one
 * that any of them has issues of, in a text of 11 bytes that is empty so far; without loads, as
 * Spark leaves it, the last one that has any. False without one. */
bool fleet_lake_look(const char *folder, struct mb_buf *loads, char *day);

/* ---- What is in folders, in the order of names ---- */

#define FLEET_PATH_SIZE 4096

/* MB_IO by errno, naming the path. */
MB_MUST_CHECK enum mb_status fleet_fail_at(const char *path, struct mb_error *err);

/* Each file of uploads. */
MB_MUST_CHECK enum mb_status fleet_lake_each_load(const struct fleet_lake *lake, fleet_take *take,
                                                  void *context, struct mb_error *err);

/* Take each entry but "." and ".." whose name is selected, until one fails; select may be NULL. An
 * absent folder holds nothing; an error names the folder. */
MB_MUST_CHECK enum mb_status fleet_folder_each(const char *folder, bool (*select)(const char *name),
                                               fleet_take *take, void *context,
                                               struct mb_error *err);

#endif
