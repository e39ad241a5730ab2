/* Where the issues of one process are kept: decides, counts, writes, makes room. One thread at a
 * time.
 *
 * Limits of a day go by the names of its files, and what was refused since. That is written for
 * readers only, in a file named by when this process began to count that day, if anything was:
 *
 *   {"methodbeat_counts":1,"day":20261121,"details":{"LAG":{"key_files":2},"ANR":{"disk":1}}} */

#ifndef SPOOL_SHELF_H
#define SPOOL_SHELF_H

#include "spool/date.h"
#include "spool/note.h"
#include "spool/quota.h"

struct spool_shelf {
    struct spool_folder folder; /* closed: nothing is written, all is counted */
    uint64_t device;
    struct spool_quota quota; /* of today */
    int64_t began_wall_ns;    /* to count it */
    bool is_saved;            /* what was refused */
    bool is_loaded;           /* with what is there of that day */
    uint64_t bytes;           /* of all issues */
    int64_t full_day;         /* on which the disk was full */
    struct mb_buf text;       /* what is written */
    struct mb_buf counts;
};

struct spool_result {
    struct spool_decision decision;
    struct mb_text
        issue; /* with its verdict; terminated, valid until the next one; empty: no memory */
    struct mb_text copy;                                            /* likewise; empty: none */
    char file[SPOOL_PATH_SIZE + SPOOL_DATE_SIZE + SPOOL_NAME_SIZE]; /* "": it is not written */
};

/* Memory for all that follows. */
bool spool_shelf_reserve(struct spool_shelf *shelf);
void spool_shelf_finish(struct spool_shelf *shelf);

/* The folder is open or another one: look at what is there, and let old files go. */
void spool_shelf_take_stock(struct spool_shelf *shelf, const struct mon_options *options,
                            int64_t wall_ns);

void spool_shelf_put(struct spool_shelf *shelf, const struct spool_item *item, int64_t wall_ns,
                     struct spool_result *result);

/* Count issues that could not be put. */
void spool_shelf_miss(struct spool_shelf *shelf, enum mon_detail detail, uint32_t count,
                      const struct mon_options *options, int64_t wall_ns);

/* Write what was refused, if it is not: no issue follows. */
void spool_shelf_save(struct spool_shelf *shelf, const struct mon_options *options);

#endif
