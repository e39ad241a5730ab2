/* Notes that processes of this name left when they died: each is published by the next one. */

#ifndef SPOOL_LEFT_H
#define SPOOL_LEFT_H

#include "spool/note.h"

#define SPOOL_LEFT_COUNT 144u /* at a start; what is more waits for the next one */

/* Those before next are published. */
struct spool_left {
    uint32_t next;
    uint32_t count;
    struct spool_incident incidents[SPOOL_LEFT_COUNT];
};

/* Where processes of that name have their folders, and how long these keep files. */
struct spool_heritage {
    const char *spool;
    const char *process;
    const struct mon_options *options;
    int64_t today;
    /* Called for each issue that is published there; or NULL. */
    void (*published)(void *context, struct spool_incident incident);
    void *context;
};

/* Find what is left in the folder, and take over what is in those of other processes of the name
 * that are gone. Before there are new notes. */
void spool_left_collect(struct spool_left *left, const struct spool_folder *folder,
                        const struct spool_heritage *heritage);

#endif
