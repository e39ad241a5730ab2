/* Stalls that were open when a process of this name died, issues of its own that were not written,
 * and issues that it was publishing: each is published once, by it or here. */

#ifndef SPOOL_LEFT_H
#define SPOOL_LEFT_H

#include "spool/counts.h"
#include "spool/folder.h"
#include "spool/notes.h"

/* At a start; what is more waits for the next one. */
#define SPOOL_LEFT_COUNT (3 * SPOOL_NOTE_COUNT)

enum spool_left_state {
    SPOOL_LEFT_WAITS,
    SPOOL_LEFT_TOLD,   /* its issue is on the way */
    SPOOL_LEFT_WRITTEN /* nothing is left to do */
};

struct spool_left {
    struct mb_buf text;         /* at work: of counts.json */
    struct spool_counts counts; /* likewise */
    struct spool_note page;     /* likewise */
    struct mb_text page_value;  /* likewise; of an own issue */
    char value[SPOOL_NOTE_VALUE_SIZE];
    uint32_t count;
    struct {
        struct spool_incident incident;
        enum spool_left_state state;
        uint32_t file;
        uint32_t place;
    } entries[SPOOL_LEFT_COUNT];
};

/* Where processes of that name have their folders, and how long these keep files. */
struct spool_heritage {
    const char *spool;
    const char *process;
    const struct mon_options *options;
    int64_t today;
    /* Called for each issue that is published there, maybe twice; or NULL. */
    void (*published)(void *context, struct spool_incident incident);
    void *context;
};

/* Take over what is left in the folder, and in those of other processes of the name that are gone.
 * Before there are new notes. */
void spool_left_collect(struct spool_left *left, const struct spool_folder *folder,
                        const struct spool_heritage *heritage);

/* The next one, whose issue is then on the way, and page_value; NULL: none. Valid until the next
 * call. */
const struct spool_note *spool_left_next(struct spool_left *left,
                                         const struct spool_folder *folder);

/* There is another one. */
bool spool_left_waits(const struct spool_left *left);

/* Its issue is written. False if it is none of these. */
bool spool_left_finish(struct spool_left *left, const struct spool_folder *folder,
                       struct spool_incident incident);

#endif
