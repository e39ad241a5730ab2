/* From a line of an event log to the event. */

#ifndef REPLAY_EVENT_H
#define REPLAY_EVENT_H

#include "base/error.h"
#include "monitor/monitor.h"
#include "replay/names.h"

/* Times of events lie within 4.5 years of 0, wall times within 73 of 1970: so that sums of them
 * fit. */
#define REPLAY_TIME_LIMIT (INT64_C(1) << 57)
#define REPLAY_WALL_LIMIT (INT64_C(1) << 61)

struct json_t;

/* object is one with "at". MB_BAD_TEXT without a place: a member is missing, too much, of another
 * type or out of range. Members that events do not have are refused, as a later version's would
 * be. */
MB_MUST_CHECK enum mb_status replay_event_parse(struct mon_event *event,
                                                const struct json_t *object,
                                                const struct replay_names *names,
                                                struct mb_error *err);

#endif
