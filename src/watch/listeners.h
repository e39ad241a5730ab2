/* Who hears of issues. */

#ifndef WATCH_LISTENERS_H
#define WATCH_LISTENERS_H

#include "watch/methodbeat_watch.h"

#include <stdbool.h>

/* Call all of them, on the calling thread, which must be one of ours. */
void watch_listeners_tell(const struct watch_issue *issue);

/* The calling thread is inside a listener. */
bool watch_listeners_are_calling(void);

/* Issues told so far. */
uint64_t watch_listeners_count(void);

/* In a forked child. */
void watch_listeners_forget(void);

#endif
