/* A thread and its ring, from its first probe in a session to its end. */

#ifndef RECORDER_ATTACH_H
#define RECORDER_ATTACH_H

#include "recorder/core.h"

/* The calling thread's cursor, attached to the present session. The first call in the process
 * begins a session. NULL if the thread is not recorded. */
struct beat_cursor *beat_attached_cursor(void);

/* The cursor of a lane's first half, whose memory the calling thread holds from now on; NULL if the
 * lane's session is over. It may be closed: see beat_lane_reopen. */
struct beat_cursor *beat_attached_lane(uint64_t lane);

#endif
