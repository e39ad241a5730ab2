/* The lines for people. */

#ifndef WATCH_SAY_H
#define WATCH_SAY_H

#include "base/check.h"

/* One line to who asked for them by watch_log_to, or to stderr. */
void watch_say(const char *format, ...) MB_PRINTF(1, 2);

#endif
