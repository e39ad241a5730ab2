/* What the recorder has of a message, as the rules want it. */

#ifndef WATCH_TRACES_H
#define WATCH_TRACES_H

#include "monitor/monitor.h"
#include "recorder/here.h"

/* The words from a position on, decoded, trimmed and with a key. end: MON_TO_THE_END for a message
 * that is still open. False, and an empty trace, if there are none or memory is short. */
bool watch_trace_take(const struct beat_here *from, uint64_t end, struct mon_trace *trace);

#endif
