/* The listeners, which receive issues. */

#ifndef MONITOR_WATCH_LISTENERS_H
#define MONITOR_WATCH_LISTENERS_H

#include "monitor/watch/methodbeat_watch.h"

#include <stdbool.h>

/* Call all listeners on this thread, which must be a helper (base/helpers.h). */
void watch_listeners_notify(const struct watch_issue *issue);

/* The calling thread is inside a listener. */
bool watch_listeners_are_calling(void);

/* The number of issues that listeners received. */
uint64_t watch_listeners_count(void);

/* In a forked child. */
void watch_listeners_forget(void);

#endif
