/* A trace that is watched on a terminal, with keys. */

#ifndef LIVE_SCREEN_H
#define LIVE_SCREEN_H

#include "live/watch.h"

struct live_screen_wish {
    int64_t interval_ns;
    bool has_threads; /* begin with threads instead of methods */
    bool has_colour;
};

/* Can standard input and output be such a screen? */
bool live_screen_is_possible(void);

/* Show the trace until the user quits, a signal asks to stop, or the terminal goes. The terminal
 * is as it was afterwards. */
MB_MUST_CHECK enum mb_status live_show_screen(struct live_watch *watch,
                                              const struct live_screen_wish *wish,
                                              struct mb_error *err);

#endif
