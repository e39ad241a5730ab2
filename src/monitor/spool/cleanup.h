/* Which files of issues go: old ones, and those that weigh least where there is no room; and the
 * notes that killed processes left. */

#ifndef MONITOR_SPOOL_CLEANUP_H
#define MONITOR_SPOOL_CLEANUP_H

#include "monitor/options.h"
#include "monitor/spool/note.h"

/* ---- Orphans: notes of dead processes of the same name, which this process publishes ---- */

#define SPOOL_ORPHAN_COUNT 144u /* at a start; the next start takes the rest */

/* Those before next are published. */
struct spool_orphans {
    uint32_t next;
    uint32_t count;
    struct spool_incident incidents[SPOOL_ORPHAN_COUNT];
};

/* Where to search for orphans, and how long their folders keep files. */
struct spool_orphans_search {
    const char *spool;
    const char *process;
    const struct mon_options *options;
    int64_t today;
    /* Called for each published issue in these folders; or NULL. */
    void (*published)(void *context, struct spool_incident incident);
    void *context;
};

/* Collect the notes in folder, and move those of dead processes of the same name there. Notes whose
 * issue is published are removed. To be called before this process writes a note. */
void spool_orphans_collect(struct spool_orphans *orphans, const struct spool_folder *folder,
                           const struct spool_orphans_search *search);

/* ---- Old files ---- */

/* Remove what is older than the days to keep (monitor/spool/quota.h), in the folder of a process.
 * bytes, which may be NULL, gets the size of all issues that stay. False if not all files could be
 * seen: then all stay. */
bool spool_cleanup_remove_expired(int folder, const struct mon_options *options, int64_t today,
                                  uint64_t *bytes);

/* Delete oldest issues, least important details first, up to this weight, until the wanted bytes
 * are free or a few hundred issues are gone. Returns the bytes freed; 0: nothing was left to
 * delete. */
uint64_t spool_cleanup_make_room(int folder, int weight, uint64_t wanted);

#endif
