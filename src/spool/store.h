/* The store of a process's issues: decides, counts, writes files and makes room for them. One
 * thread at a time. The limits of a day count the names of its files and all issues since. */

#ifndef SPOOL_STORE_H
#define SPOOL_STORE_H

#include "spool/date.h"
#include "spool/note.h"
#include "spool/quota.h"

struct spool_store {
    struct spool_folder folder; /* closed: issues are counted and not written */
    uint64_t device;
    struct spool_quota quota; /* of today */
    bool is_loaded;           /* quota counts the files of today */
    uint64_t bytes;           /* size of all issue files */
    int64_t full_day;         /* the day on which the disk was full */
    struct mb_buf text;       /* of the file being written */
};

struct spool_result {
    struct spool_decision decision;
    struct mb_text
        issue; /* with its verdict; terminated, valid until the next put; empty: no memory */
    struct mb_text copy;                                            /* valid as long; empty: none */
    char file[SPOOL_PATH_SIZE + SPOOL_DATE_SIZE + SPOOL_NAME_SIZE]; /* "": not written */
};

/* Reserve all memory. */
bool spool_store_init(struct spool_store *store);
void spool_store_finish(struct spool_store *store);

/* After the folder was opened: count its files, and remove the expired ones. */
void spool_store_load(struct spool_store *store, const struct mon_options *options,
                      int64_t wall_ns);

void spool_store_put(struct spool_store *store, const struct spool_item *item, int64_t wall_ns,
                     struct spool_result *result);

#endif
