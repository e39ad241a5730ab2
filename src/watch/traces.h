/* What the recorder has of a message, as the rules want it. */

#ifndef WATCH_TRACES_H
#define WATCH_TRACES_H

#include "monitor/monitor.h"
#include "recorder/here.h"

/* Decode, trim and key the records from a position on. end: MON_TO_THE_END for an open message.
 * False, with an empty trace, without records or memory. */
bool watch_trace_take(const struct beat_here *from, uint64_t end, struct mon_trace *trace);

#endif
