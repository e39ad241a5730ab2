/* When the sums of a session go to their file (spool/identity.h): each minute while the
 * program is used, when it goes to the background, and at the end. */

#ifndef WATCH_IDENTITY_H
#define WATCH_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct watch_watcher;

/* When they did last. */
struct watch_kept {
    int64_t at_ns; /* 0: never */
    bool is_foreground;
};

/* Have the file written if it is time, or the end. */
void watch_keep_session(struct watch_watcher *watcher, bool is_end);

#endif
