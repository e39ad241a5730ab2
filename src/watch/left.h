/* Stalls that were open when a process of this name died, issues of its own that were not written, and
 * issues that it was publishing: each is published once, by it or here. */

#ifndef WATCH_LEFT_H
#define WATCH_LEFT_H

#include "watch/counts.h"
#include "watch/folder.h"
#include "watch/notes.h"

/* At a start; what is more waits for the next one. */
#define WATCH_LEFT_COUNT (3 * WATCH_NOTE_COUNT)

enum watch_left_state {
    WATCH_LEFT_WAITS,
    WATCH_LEFT_TOLD,   /* its issue is on the way */
    WATCH_LEFT_WRITTEN /* nothing is left to do */
};

struct watch_left {
    struct mb_buf text;         /* at work: of counts.json */
    struct watch_counts counts; /* likewise */
    struct watch_note page;     /* likewise */
    struct mb_text page_value;  /* likewise; of an own issue */
    char value[WATCH_NOTE_VALUE_SIZE];
    uint32_t count;
    struct {
        struct watch_incident incident;
        enum watch_left_state state;
        uint32_t file;
        uint32_t place;
    } entries[WATCH_LEFT_COUNT];
};

/* Where processes of that name have their folders, and how long these keep files. */
struct watch_heritage {
    const char *spool;
    const char *process;
    const struct mon_options *options;
    int64_t today;
    /* Called for each issue that is published there, maybe twice; or NULL. */
    void (*published)(void *context, struct watch_incident incident);
    void *context;
};

/* Take over what is left in the folder, and in those of other processes of the name that are gone.
 * Before there are new notes. */
void watch_left_collect(struct watch_left *left, const struct watch_folder *folder,
                        const struct watch_heritage *heritage);

/* The next one, whose issue is then on the way, and page_value; NULL: none. Valid until the next call. */
const struct watch_note *watch_left_next(struct watch_left *left,
                                         const struct watch_folder *folder);

/* There is another one. */
bool watch_left_waits(const struct watch_left *left);

/* Its issue is written. False if it is none of these. */
bool watch_left_finish(struct watch_left *left, const struct watch_folder *folder,
                       struct watch_incident incident);

#endif
