/* Orphans: notes of processes of the same name that have died. This process publishes them. */

#ifndef SPOOL_ORPHANS_H
#define SPOOL_ORPHANS_H

#include "spool/note.h"

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

#endif
