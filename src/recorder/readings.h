/* What a thread itself reads at the begin and the end of requests: the time, for how long it has
 * been ready without a processor, and how often it has waited. The keeper, which looks at
 * intervals, could not tell which request that was. */

#ifndef RECORDER_READINGS_H
#define RECORDER_READINGS_H

#include "recorder/profile/readings.h"

struct beat_thread; /* recorder/core.h */

/* The calling thread's next word is of a method that is timed. Takes some system calls, and keeps
 * errno. Nothing for a thread without a ring, or where the system does not tell. */
void beat_readings_take(void);

/* The calling thread ends, or is the one of a forked child: what it has kept open is closed. */
void beat_readings_end(struct beat_thread *thread);

/* Of the ring of that index; NULL if its threads read nothing. claim becomes what its words are
 * looked for by. */
const struct prof_readings *beat_readings_of(uint32_t ring, uint32_t session, uint32_t *claim);

#endif
