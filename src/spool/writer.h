/* Inside src/spool: the queue of a spool, and the thread that writes it. */

#ifndef SPOOL_WRITER_H
#define SPOOL_WRITER_H

#include "spool/left.h"
#include "spool/shelf.h"
#include "spool/spool.h"

#include <pthread.h>
#include <time.h>

#define SPOOL_QUEUE_COUNT 16u
#define SPOOL_PROCESS_SIZE 256u

struct spool {
    struct spool_setup setup;
    char spool[SPOOL_PATH_SIZE];
    char process[SPOOL_PROCESS_SIZE];
    struct spool_item noted; /* the watcher's, at work */
    pthread_mutex_t mutex;   /* of what follows, down to missed, and of the folder */
    pthread_cond_t changed;  /* the thread has ended */
    bool is_collected;       /* what was left, once there was a folder */
    struct spool_left left;
    struct spool_item queue[SPOOL_QUEUE_COUNT];
    uint32_t first;
    uint32_t count;
    bool has_thread;
    bool is_abandoned; /* closed while there is a thread: that one frees it */
    pthread_t thread;
    uint32_t missed[MON_DETAIL_COUNT]; /* found no place in the queue */
    /* the thread's, or the opener's where there is none */
    struct spool_shelf shelf;
    struct spool_item left_item; /* at work; its options are those of the last issue */
};

int64_t spool_wall_ns(const struct spool *spool);
void spool_destroy(struct spool *spool);

/* Own the first folder that nobody owns, with what is left there if it is the first one ever.
 * Without one, one that was moved away is kept. */
enum mb_status spool_writer_open_folder(struct spool *spool, const struct mon_options *options,
                                        struct mb_error *err);

/* Something waits. Under the lock. */
bool spool_writer_has_work(const struct spool *spool);

/* Start the thread if there is something to write, and none. Under the lock. Without a thread
 * issues wait: for the next one, the next tick, or the end. */
void spool_writer_start(struct spool *spool);

/* Save what was refused. Without the lock, while there is no other thread. */
void spool_writer_save(struct spool *spool);

/* Write what is queued, then what was left. Called, and returns, with the lock, which is free
 * meanwhile. */
void spool_writer_run(struct spool *spool, bool is_heard);

#endif
