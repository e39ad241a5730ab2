/* Processes of this name that the system ended because they did not respond: each belongs to the
 * stall that one of them left open, or is an issue by itself. */

#ifndef WATCH_EXITS_H
#define WATCH_EXITS_H

#include "spool/note.h"
#include "watch/methodbeat_watch.h"
#include "watch/names.h"

#define WATCH_EXIT_COUNT 16u
#define WATCH_EXITS_AT_A_TIME 4u /* so that they find room in the queue */

/* Zeroed memory has none. */
struct watch_exits {
    bool is_told; /* what there was */
    uint32_t count;
    struct {
        struct watch_exit told; /* texts are its own */
        struct spool_incident noted;
        bool is_over; /* told, or a stall's */
    } exits[WATCH_EXIT_COUNT];
};

/* If one is of that stall, say so in its issue, and that one is over. */
void watch_exits_join(struct watch_exits *exits, const struct spool_head *stall,
                      struct mb_buf *issue);

/* That incident is published: it is over if it is its own, or its stall's. */
void watch_exits_settle(struct watch_exits *exits, struct spool_incident incident);

/* All are told, or on the way. */
bool watch_exits_are_over(const struct watch_exits *exits);

/* The next one that is no stall's; false: there is none. */
bool watch_exits_take(struct watch_exits *exits, struct mon_event *event,
                      struct watch_names *names);

void watch_exits_forget(struct watch_exits *exits);

#endif
