/* Inside src/monitor/spool: the queue of a spool, and the thread that writes it. */

#ifndef MONITOR_SPOOL_WRITER_H
#define MONITOR_SPOOL_WRITER_H

#include "abi/identity.h"
#include "base/clock.h"
#include "monitor/identity_sums.h"
#include "monitor/monitor.h"
#include "monitor/spool/cleanup.h"
#include "monitor/spool/folder.h"
#include "monitor/spool/incident.h"
#include "monitor/spool/note.h"
#include "monitor/spool/quota.h"
#include "monitor/spool/spool.h"

#include <pthread.h>
#include <time.h>

/* The store of a process's issues: decides, counts, writes files and makes room for them. One
 * thread at a time. The limits of a day count the names of its files and all issues since. */

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

/* Whom issues come from: where the setting app is given.
 *
 *   SPOOL/.device                            the random id of this installation, and its day
 *   SPOOL/com.x/20261121/session-5f1c.json   the session of a process */

#define SPOOL_DEVICE_DAYS 90 /* then it gets another id */

/* Start with zeroed memory. */
struct spool_identity {
    char pairs[ABI_IDENTITY_SIZE]; /* "": files say nothing of it */
};

/* Take the checked setting, and what the system tells, for traces too. spool: the folder of all
 * processes, which gets the id of the device if it has none or an old one; without a folder there
 * is no id. */
void spool_identity_init(struct spool_identity *identity, const char *app, const char *spool,
                         int64_t wall_ns);

/* Put the object: of the run of the monitors that began at start, with the hash of its method map,
 * or 0. */
void spool_identity_put(const struct spool_identity *identity, struct mb_json *json, uint64_t start,
                        uint64_t mapping, const struct mon_options *options);

/* Add it to the issue at the end of out, which has no verdict yet. */
void spool_identity_add(const struct spool_identity *identity, struct mb_buf *out, uint64_t start,
                        uint64_t mapping, const struct mon_options *options);

/* ---- The session: sums of a day's frames and starts, and counts of issues ---- */

struct spool_count {
    uint32_t seen;     /* issues of the rules */
    uint32_t written;  /* files */
    uint32_t reported; /* of these, marked for report */
};

/* Start with zeroed memory. */
struct spool_counts {
    int64_t day;     /* since 1970; 0: none yet */
    int64_t from_ns; /* since 1970 */
    struct spool_count counts[MON_DETAIL_COUNT];
    /* Of spool_keep_session, which borrows the last two until the spool is closed. */
    struct mon_process run;
    struct mon_sums *sums; /* NULL: it was not called */
    const struct mon_options *options;
};

/* Count what became of an issue. */
static inline void spool_session_count(struct spool_counts *counts, uint32_t detail,
                                       const struct spool_decision *decision)
{
    counts->counts[detail].written += decision->is_written;
    counts->counts[detail].reported += decision->is_reported;
}

/* What a session's file has of others. */
struct spool_session {
    const struct spool_identity *identity;
    const char *process;
    const struct mon_process *run; /* its start and the map of its methods */
    const struct mon_names *names;
    const struct mon_options *options;
    int64_t wall_ns;
};

/* Write the file of the session's day, by way of text, whole or not at all; after midnight the sums
 * and counts begin anew. False: the file is as it was. Does nothing without app. */
bool spool_session_keep(struct spool_counts *counts, const struct spool_folder *folder,
                        const struct spool_session *session, struct mon_sums *sums,
                        struct mb_buf *text);

#define SPOOL_QUEUE_COUNT 16u
#define SPOOL_PROCESS_SIZE 256u

struct spool {
    struct spool_setup setup;
    char spool[SPOOL_PATH_SIZE];
    char process[SPOOL_PROCESS_SIZE];
    struct spool_item noted; /* the note being written, on the watcher's thread */
    pthread_mutex_t mutex;   /* for the fields from here to thread, and for the folder */
    pthread_cond_t changed;  /* the thread has ended */
    bool is_collected;       /* the orphans are, once there was a folder */
    struct spool_orphans orphans;
    struct spool_identity identity; /* unchanged once it is open */
    struct spool_counts counts;
    struct spool_item queue[SPOOL_QUEUE_COUNT];
    uint32_t first;
    uint32_t count;
    bool has_thread;
    bool is_abandoned; /* closed while the thread runs: the thread frees it */
    pthread_t thread;
    /* For the thread, or for the opener while there is no thread. */
    struct spool_store store;
    struct spool_item orphan; /* being published; its options are those of the last issue */
};

static inline int64_t spool_wall_ns(const struct spool *spool)
{
    return spool->setup.wall_ns != NULL ? spool->setup.wall_ns() : mb_clock_read_ns(CLOCK_REALTIME);
}

void spool_destroy(struct spool *spool);

/* Open the first folder without an owner; the first time, collect orphans. On failure, keep a
 * folder that was moved away. */
enum mb_status spool_writer_open_folder(struct spool *spool, const struct mon_options *options,
                                        struct mb_error *err);

/* Issues or orphans wait. Under the lock. */
bool spool_writer_has_work(const struct spool *spool);

/* Start the thread, if it does not run and there is work. Under the lock. If it cannot be started,
 * issues wait for the next issue, the next tick, or the end. */
void spool_writer_start(struct spool *spool);

/* Write the queue, then the orphans. Called, and returns, with the lock; releases it meanwhile. */
void spool_writer_run(struct spool *spool, bool is_heard);

#endif
