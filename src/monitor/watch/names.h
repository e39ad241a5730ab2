/* The texts of events, which contain their numbers. For the watcher's thread only. */

#ifndef MONITOR_WATCH_NAMES_H
#define MONITOR_WATCH_NAMES_H

#include "monitor/monitor.h"

#include <stdint.h>

#define WATCH_NAME_COUNT 16384u /* texts below this number last, others are let go */

struct watch_names;

/* NULL when out of memory. Free with watch_names_destroy, which accepts NULL. */
struct watch_names *watch_names_create(void);
void watch_names_destroy(struct watch_names *names);

/* Number a text that may come again, such as a function's name: equal texts have equal numbers, for
 * good. 0 for an empty text, or without room (counted). */
uint32_t watch_names_add(struct watch_names *names, struct mb_text text);

/* Add "a.b.C.load(C.java:12)", or the function alone, to frames that have room. */
void watch_names_add_frame(struct watch_names *names, struct mon_frames *frames,
                           struct mb_text text);

/* Number a text that hardly comes again, such as a message's: it lasts until 256 further texts were
 * added so. */
uint32_t watch_names_pass(struct watch_names *names, struct mb_text text);

/* For mon_create. */
struct mon_names watch_names_view(const struct watch_names *names);

/* Texts dropped for lack of room. */
uint64_t watch_names_left_out(const struct watch_names *names);

#endif
