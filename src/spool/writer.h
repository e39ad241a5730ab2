/* Inside src/spool: the queue of a spool, and the thread that writes it. */

#ifndef SPOOL_WRITER_H
#define SPOOL_WRITER_H

#include "base/clock.h"
#include "spool/cleanup.h"
#include "spool/identity.h"
#include "spool/spool.h"
#include "spool/store.h"

#include <pthread.h>
#include <time.h>

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
