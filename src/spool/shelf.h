/* Where the issues of one process are kept: decides, counts, writes, makes room. One thread at a
 * time.
 *
 * An issue is published in steps, of which any may be the last one before a kill:
 *   1 its file, under a hidden name   2 counts.json, which names it   3 its name   4 its note goes
 * The next process (spool/left.h) finds it counted or not: then the file gets its name, or goes. */

#ifndef SPOOL_SHELF_H
#define SPOOL_SHELF_H

#include "spool/counts.h"
#include "spool/date.h"
#include "spool/folder.h"

struct spool_shelf {
    struct spool_folder folder; /* closed: nothing is written, all is counted */
    uint64_t device;
    struct spool_counts counts; /* of today */
    struct spool_counts found;  /* at work */
    bool is_saved;              /* as they are */
    bool is_loaded;             /* with what was counted on that day before */
    uint64_t bytes;             /* of all issues */
    int64_t full_day;           /* on which the disk was full */
    struct mb_buf text;         /* what is written */
    struct mb_buf counts_text;
};

/* One to be put there. Texts are borrowed. */
struct spool_entry {
    struct spool_incident incident;
    enum mon_detail detail;
    uint64_t key;
    struct mb_text issue; /* JSON without a verdict */
    struct mb_text copy;  /* empty: none */
    int64_t wall_ns;      /* now */
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

void spool_shelf_put(struct spool_shelf *shelf, const struct spool_entry *entry,
                     const struct mon_options *options, struct spool_result *result);

/* Count issues that could not be put. */
void spool_shelf_miss(struct spool_shelf *shelf, enum mon_detail detail, uint32_t count,
                      const struct mon_options *options, int64_t wall_ns);

/* Save the counts if they are not: no issue follows. */
void spool_shelf_save(struct spool_shelf *shelf, const struct mon_options *options);

#endif
