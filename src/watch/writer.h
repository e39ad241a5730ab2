/* Inside src/watch: the queue of a spool, and the thread that writes it. */

#ifndef WATCH_WRITER_H
#define WATCH_WRITER_H

#include "watch/left.h"
#include "watch/own.h"
#include "watch/shelf.h"
#include "watch/spool.h"

#include <pthread.h>
#include <time.h>

#define WATCH_QUEUE_COUNT 16u
#define WATCH_PROCESS_SIZE 256u

/* An issue on its way; text is the issue and, behind it, the copy. */
struct watch_item {
    struct watch_incident incident;
    enum mon_detail detail;
    char own_detail[WATCH_OWN_DETAIL_SIZE]; /* of CUSTOM; else "" */
    enum mon_ended ended;
    uint32_t loop;
    int64_t cost_ns;
    uint64_t key;
    size_t issue_size;
    struct mb_buf text;
    struct mon_options options;
};

struct watch_spool {
    struct watch_spool_setup setup;
    char spool[WATCH_PATH_SIZE];
    char process[WATCH_PROCESS_SIZE];
    pthread_mutex_t mutex;  /* of what follows, down to missed */
    pthread_cond_t changed; /* the thread has ended */
    struct watch_notes notes;
    struct watch_left left;
    uint32_t left_on_way;
    struct watch_item queue[WATCH_QUEUE_COUNT];
    uint32_t first;
    uint32_t count;
    bool has_thread;
    bool is_abandoned; /* closed while there is a thread: that one frees it */
    pthread_t thread;
    uint32_t missed[MON_DETAIL_COUNT]; /* found no place in the queue */
    struct mb_buf session;             /* to be written; empty: it is */
    uint64_t session_start;
    int64_t session_begin_wall_ns;
    /* the thread's, or the opener's where there is none */
    struct watch_shelf shelf;
    struct mon_options options; /* of the last issue */
                                /* the thread's, or the opener's where there is none */
};

int64_t watch_spool_wall_ns(const struct watch_spool *spool);
void watch_spool_destroy(struct watch_spool *spool);

/* Own the first folder that nobody owns, with what is left there; notes that are open move to it. Without
 * one, one that was moved away is kept. */
enum mb_status watch_writer_open_folder(struct watch_spool *spool,
                                        const struct mon_options *options, struct mb_error *err);

/* Start the thread if there is something to write, and none. Under the lock. Without a thread issues wait:
 * for the next one, the next tick, or the end. */
void watch_writer_start(struct watch_spool *spool);

/* Save counts that are not, and the session. Without the lock, while there is no other thread. */
void watch_writer_save(struct watch_spool *spool);

/* Write what is queued. Called, and returns, with the lock, which is free meanwhile. */
void watch_writer_run(struct watch_spool *spool, bool is_heard);

#endif
