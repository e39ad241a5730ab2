/* The terminal as a screen with keys. One at a time. */

#ifndef LIVE_TERMINAL_H
#define LIVE_TERMINAL_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

struct live_terminal {
    struct termios before; /* the modes that it gets back */
    bool is_open;
    size_t columns;
    size_t rows;
};

/* Take the terminal: keys come one by one and unseen, signals only while it waits. MB_IO if that
 * is refused. Finish gives it back as it was, and accepts one that was never opened. */
MB_MUST_CHECK enum mb_status live_terminal_open(struct live_terminal *terminal,
                                                struct mb_error *err);
void live_terminal_finish(struct live_terminal *terminal);

/* Show these lines instead of those before; false if the terminal is gone. */
bool live_terminal_show(struct live_terminal *terminal, const struct mb_buf *lines);

enum live_event {
    LIVE_EVENT_TIME, /* it is that time */
    LIVE_EVENT_KEYS,
    LIVE_EVENT_SIZE, /* columns and rows are others */
    LIVE_EVENT_END,  /* a signal asks to stop, or the terminal is gone */
};

/* Wait until a time of the monotonic clock, or for what comes before. *size bytes of keys. */
enum live_event live_terminal_wait(struct live_terminal *terminal, int64_t until_ns, char *keys,
                                   size_t room, size_t *size);

#endif
