/* What survives the process: its issues, each in a file of its own. Stalls that are open and issues
 * of its own that wait have a hidden one, so that the next process publishes what this one could
 * not. Where files are: spool/folder.h.
 *
 *   watcher's thread: actions --> notes
 *                             --> queue --> writer's thread: shelf (files, limits) --> heard
 *
 * The writer's thread lives while there is something to write. An issue that has a note is
 * published at least once, by this process or by one that comes after a kill at any moment; readers
 * unite those that tell of one incident. */

#ifndef SPOOL_SPOOL_H
#define SPOOL_SPOOL_H

#include "base/error.h"
#include "monitor/monitor.h"
#include "spool/incident.h"
#include "spool/note.h"

/* An issue as listeners hear it; valid until they return. */
struct spool_told {
    const char *detail;
    const char *ended;
    uint32_t loop;
    int64_t cost_ns;
    uint64_t key;
    const char *json; /* the whole issue, terminated */
    size_t json_size; /* without the end */
    const char *file; /* where it is; NULL: nowhere */
    bool is_reported;
};

struct spool_setup {
    const char *folder;  /* "": none, issues go to heard only */
    const char *process; /* its name */
    uint64_t device;     /* what stays the same on it, for sampling */
    const struct mon_options *options;
    const struct mon_names *names;
    /* On the writer's thread, for each issue, when its file is there. May close the spool. */
    void (*heard)(void *context, const struct spool_told *issue);
    /* While it is opened, of issues that are there, maybe twice; or NULL. */
    void (*published)(void *context, struct spool_incident incident);
    /* On the writer's thread, for each stall that the death of its process left open, before it is
     * published: may add to it; or NULL. Not after spool_is_written has said so. Under the spool's
     * lock. */
    void (*killed)(void *context, const struct spool_head *stall, struct mb_buf *issue);
    void *context; /* of published, valid while it is opened; of the others, until it is closed */
    int64_t (*wall_ns)(void); /* since 1970; NULL: the clock's */
};

struct spool;

/* Reserves all memory. NULL: no memory. A folder that cannot be had is told in err, and tried again
 * with each issue. All calls by one thread, on which all signals are blocked (a limit of file sizes
 * is told by one). Texts are copied, names borrowed until the spool is closed. */
struct spool *spool_open(const struct spool_setup *setup, struct mb_error *err);

/* Nothing waits to be written, of this process or of one before. */
bool spool_is_written(struct spool *spool);

/* Begin to write what waits, be it what was left. */
void spool_write(struct spool *spool);

/* NOTE, NOTE_CLOSE, ISSUE; others are left alone. Waits for no file that is being written,
 * and for no listener. */
void spool_take(struct spool *spool, const struct mon_action *action,
                const struct mon_options *options);

/* Write what is queued, but wait no longer than wait_ms for the thread that does; give all up. By a
 * listener: writes the rest itself, unheard. False if not all is written. */
bool spool_close(struct spool *spool, int64_t wait_ms);

/* In a forked child: let go of what the parent owns, or the folder is its own as long as the child
 * lives. The spool is of no other use there. */
void spool_forked(struct spool *spool);

#endif
