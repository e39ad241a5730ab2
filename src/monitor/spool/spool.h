/* The spool keeps issues beyond the life of the process, one file each (monitor/spool/folder.h).
 * Open stalls and custom issues in the queue have notes, hidden files that the next process
 * publishes if this one dies.
 *
 *   watcher's thread: actions --> notes
 *                             --> queue --> writer's thread: store (files, limits) --> listeners
 *
 * The writer's thread lives while issues wait. An issue with a note is published at least once, by
 * this process or, after a kill at any moment, by the next one. Readers unite the issues of one
 * incident. */

#ifndef MONITOR_SPOOL_SPOOL_H
#define MONITOR_SPOOL_SPOOL_H

#include "base/error.h"
#include "monitor/monitor.h"
#include "monitor/spool/incident.h"
#include "monitor/spool/note.h"

/* A published issue, as listeners receive it; valid until they return. */
struct spool_notice {
    const char *detail;
    const char *ended;
    uint32_t loop;
    int64_t cost_ns;
    uint64_t key;
    const char *json; /* the whole issue, terminated */
    size_t json_size; /* without the end */
    const char *file; /* its path; NULL: not written */
    bool is_reported;
};

struct spool_setup {
    const char *folder;  /* "" if none, only listeners receive issues */
    const char *process; /* its name */
    uint64_t device;     /* its stable id, for sampling */
    const struct mon_options *options;
    const struct mon_names *names;
    /* Called on the writer's thread after each issue is written. May close the spool. */
    void (*notify)(void *context, const struct spool_notice *issue);
    /* Called by spool_open for each published issue, perhaps twice; or NULL. */
    void (*published)(void *context, struct spool_incident incident);
    /* Called on the writer's thread, under the spool's lock, for each stall that a dead process
     * left open, before it is published: may add members to the issue; or NULL. No more calls come
     * once spool_is_written was true. */
    void (*killed)(void *context, const struct spool_head *stall, struct mb_buf *issue);
    void *context;            /* valid until the spool is closed */
    int64_t (*wall_ns)(void); /* since 1970; NULL: the clock's */
};

struct spool;

/* Reserves all memory; NULL without. If the folder cannot be opened, err says why, and each issue
 * tries again. One thread makes all calls, with all signals blocked (SIGXFSZ reports a limit of
 * file sizes). Texts are copied; names are borrowed until the spool is closed. */
struct spool *spool_open(const struct spool_setup *setup, struct mb_error *err);

/* Write what the session that began with this run comes to, and zero the sums after midnight
 * (monitor/spool/identity.c). sums and options are borrowed until the spool is closed. */
void spool_keep_session(struct spool *spool, const struct mon_process *run, struct mon_sums *sums,
                        const struct mon_options *options);

/* Neither an issue nor an orphan waits to be written. */
bool spool_is_written(struct spool *spool);

/* Start to write waiting issues and orphans. */
void spool_write(struct spool *spool);

/* Take a NOTE, NOTE_CLOSE or ISSUE; other actions are ignored. Does not wait for the writer or for
 * listeners. */
void spool_take(struct spool *spool, const struct mon_action *action,
                const struct mon_options *options);

/* Wait up to wait_ms until the writer has written the queue, then close the spool. A listener that
 * calls this writes the rest itself, without notices. False if issues remain unwritten. */
bool spool_close(struct spool *spool, int64_t wait_ms);

/* In a forked child: close the parent's folder, or its lock lasts as long as the child lives. The
 * child must not use the spool otherwise. */
void spool_forked(struct spool *spool);

#endif
