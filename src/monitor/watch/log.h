/* The lines for people. */

#ifndef MONITOR_WATCH_LOG_H
#define MONITOR_WATCH_LOG_H

#include "base/check.h"

/* Log one line: to the function given to watch_log_to, or to stderr. */
void watch_log(const char *format, ...) MB_PRINTF(1, 2);

#endif
