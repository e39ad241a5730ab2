/* The texts that events name by numbers. One thread at a time: the watcher's. */

#ifndef WATCH_NAMES_H
#define WATCH_NAMES_H

#include "monitor/monitor.h"

#include <stdint.h>

struct watch_names;

/* NULL when out of memory. Free with watch_names_destroy, which accepts NULL. */
struct watch_names *watch_names_create(void);
void watch_names_destroy(struct watch_names *names);

/* The number of a text that may come again, such as a function's: equal texts have equal numbers,
 * and stay. 0 for an empty text, and where there is no room (counted). */
uint32_t watch_names_add(struct watch_names *names, struct mb_text text);

/* Add "a.b.C.load(C.java:12)", or the function alone, to frames that have room. */
void watch_names_add_frame(struct watch_names *names, struct mon_frames *frames,
                           struct mb_text text);

/* The number of a text that hardly comes again, such as a message's: it stays until 256 others were
 * added so. */
uint32_t watch_names_pass(struct watch_names *names, struct mb_text text);

/* For mon_create. */
struct mon_names watch_names_view(const struct watch_names *names);

/* Texts for which there was no room. */
uint64_t watch_names_left_out(const struct watch_names *names);

#endif
