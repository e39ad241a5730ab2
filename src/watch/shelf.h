/* Where the issues of one process are kept: decides, counts, writes, makes room. One thread at a time.
 *
 * An issue is published in steps, of which any may be the last one before a kill:
 *   1 its file, under a hidden name    2 counts.json, which names it    3 its name    4 its note goes
 * The next process (watch/left.h) finds it counted or not: then the file gets its name, or goes. */

#ifndef WATCH_SHELF_H
#define WATCH_SHELF_H

#include "watch/counts.h"
#include "watch/date.h"
#include "watch/folder.h"

struct watch_shelf {
    struct watch_folder folder; /* closed: nothing is written, all is counted */
    uint64_t device;
    struct watch_counts counts; /* of today */
    struct watch_counts found;  /* at work */
    bool is_saved;              /* as they are */
    bool is_loaded;             /* with what was counted on that day before */
    uint64_t bytes;             /* of all issues */
    int64_t full_day;           /* on which the disk was full */
    struct mb_buf text;         /* what is written */
    struct mb_buf counts_text;
};

/* One to be put there. Texts are borrowed. */
struct watch_entry {
    struct watch_incident incident;
    enum mon_detail detail;
    uint64_t key;
    struct mb_text issue; /* JSON without a verdict */
    struct mb_text copy;  /* empty: none */
    int64_t wall_ns;      /* now */
};

struct watch_result {
    struct mon_decision decision;
    struct mb_text
        issue; /* with its verdict; terminated, valid until the next one; empty: no memory */
    struct mb_text copy;                                            /* likewise; empty: none */
    char file[WATCH_PATH_SIZE + WATCH_DATE_SIZE + WATCH_NAME_SIZE]; /* "": it is not written */
};

/* Memory for all that follows. */
bool watch_shelf_reserve(struct watch_shelf *shelf);
void watch_shelf_finish(struct watch_shelf *shelf);

/* The folder is open or another one: look at what is there, and let old files go. */
void watch_shelf_take_stock(struct watch_shelf *shelf, const struct mon_options *options,
                            int64_t wall_ns);

void watch_shelf_put(struct watch_shelf *shelf, const struct watch_entry *entry,
                     const struct mon_options *options, struct watch_result *result);

/* Count issues that could not be put. */
void watch_shelf_miss(struct watch_shelf *shelf, enum mon_detail detail, uint32_t count,
                      const struct mon_options *options, int64_t wall_ns);

/* Save the counts if they are not: no issue follows. */
void watch_shelf_save(struct watch_shelf *shelf, const struct mon_options *options);

/* A session in a file of its own, in place of what it came to before; without a disk that has room that
 * stays. Named by its begin. */
struct watch_shelf_session {
    struct mb_text text;
    uint64_t start; /* of its process */
    int64_t begin_wall_ns;
};

void watch_shelf_put_session(struct watch_shelf *shelf, const struct watch_shelf_session *session,
                             const struct mon_options *options, int64_t wall_ns);

#endif
