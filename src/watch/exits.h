/* Exits: earlier processes of this name that the system ended because they did not respond. An exit
 * belongs to the stall that its process left open, or is an issue by itself. */

#ifndef WATCH_EXITS_H
#define WATCH_EXITS_H

#include "spool/note.h"
#include "watch/methodbeat_watch.h"
#include "watch/names.h"

#define WATCH_EXIT_COUNT 16u
#define WATCH_EXITS_AT_A_TIME 4u /* so that they find room in the queue */

/* Zeroed memory has no exits. */
struct watch_exits {
    bool host_knows; /* that all are over */
    uint32_t count;
    struct {
        struct watch_exit exit; /* texts are its own */
        struct spool_incident noted;
        bool is_over; /* an issue by itself, or joined with a stall */
    } exits[WATCH_EXIT_COUNT];
};

/* If an exit belongs to the stall, add it to the issue; that exit is over. */
void watch_exits_join(struct watch_exits *exits, const struct spool_head *stall,
                      struct mb_buf *issue);

/* The incident is published: the exit that is this incident, or belongs to it, is over. */
void watch_exits_drop_published(struct watch_exits *exits, struct spool_incident incident);

/* Each exit is published, or on its way. */
bool watch_exits_are_over(const struct watch_exits *exits);

/* Take the next exit that belongs to no stall; false if none is left. */
bool watch_exits_take(struct watch_exits *exits, struct mon_event *event,
                      struct watch_names *names);

void watch_exits_forget(struct watch_exits *exits);

#endif
