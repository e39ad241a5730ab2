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
#define SPOOL_DETAIL_SIZE 32u /* of the program's own, with its end */

/* An issue on its way; text is the issue and, behind it, the copy. */
struct spool_item {
    struct spool_incident incident;
    enum mon_detail detail;
    char own_detail[SPOOL_DETAIL_SIZE]; /* of CUSTOM; else "" */
    enum mon_ended ended;
    uint32_t loop;
    int64_t cost_ns;
    uint64_t key;
    size_t issue_size;
    struct mb_buf text;
    struct mon_options options;
};

struct spool {
    struct spool_setup setup;
    char spool[SPOOL_PATH_SIZE];
    char process[SPOOL_PROCESS_SIZE];
    pthread_mutex_t mutex;  /* of what follows, down to missed */
    pthread_cond_t changed; /* the thread has ended */
    struct spool_notes notes;
    struct spool_left left;
    uint32_t left_on_way;
    struct spool_item queue[SPOOL_QUEUE_COUNT];
    uint32_t first;
    uint32_t count;
    bool has_thread;
    bool is_abandoned; /* closed while there is a thread: that one frees it */
    pthread_t thread;
    uint32_t missed[MON_DETAIL_COUNT]; /* found no place in the queue */
    /* the thread's, or the opener's where there is none */
    struct spool_shelf shelf;
    struct mon_options options; /* of the last issue */
};

int64_t spool_wall_ns(const struct spool *spool);
void spool_destroy(struct spool *spool);

/* Own the first folder that nobody owns, with what is left there; notes that are open move to it.
 * Without one, one that was moved away is kept. */
enum mb_status spool_writer_open_folder(struct spool *spool, const struct mon_options *options,
                                        struct mb_error *err);

/* Start the thread if there is something to write, and none. Under the lock. Without a thread
 * issues wait: for the next one, the next tick, or the end. */
void spool_writer_start(struct spool *spool);

/* Save counts that are not. Without the lock, while there is no other thread. */
void spool_writer_save(struct spool *spool);

/* Write what is queued. Called, and returns, with the lock, which is free meanwhile. */
void spool_writer_run(struct spool *spool, bool is_heard);

#endif
