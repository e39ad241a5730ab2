/* Which methods deserve no probe while a profile is made, and the table through which probes
 * know. */

#ifndef RECORDER_THROTTLE_H
#define RECORDER_THROTTLE_H

#include "abi/record.h"
#include "profile/profile.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [id]: not 0 where the probes of the method record nothing. From then on for the life of the
 * process, whatever is started meanwhile: HotSpot compiles what is in Java's table as constants. */
extern _Atomic(uint8_t) beat_muted[ABI_ID_MASK + 1];

#define BEAT_MAX_MUTED 8192u

struct beat_limit {
    uint64_t calls;  /* more than these */
    uint64_t own_ns; /* less own time than this, without what the probes take */
};

/* Which methods are muted: those within one of the limits. None: no method. */
struct beat_throttle {
    struct beat_limit limits[PROF_MAX_LIMITS];
    uint32_t limit_count;
};

/* "on", "off" or "CALLS:NANOSECONDS". False if text is neither. */
bool beat_throttle_parse(struct beat_throttle *throttle, const char *text);

/* "12,100-199": set marks[id] of each; marks has ABI_ID_MASK + 1 bytes, or is NULL. text may be
 * NULL or "". False if the list is malformed. */
bool beat_throttle_parse_ids(uint8_t *marks, const char *text);

/* Let the probes of a method fall silent. False if so many are that the table is too full to
 * remember it. One thread at a time. */
bool beat_mute(uint32_t id);

/* The methods that are muted, counted from 0 in the order in which they fell silent: *id is the
 * next. False if the last is reached. */
bool beat_next_muted(size_t *next, uint32_t *id);

/* Who keeps a table of its own is told of each method that is muted. One listener. Called without
 * the recorder's lock, by the keeper or by who starts. */
void beat_on_mute(void (*told)(const uint32_t *ids, size_t count));

/* In a forked child, a process of its own: all methods speak, nobody is told. */
void beat_mutes_abandon(void);

/* Tell what is new. Not under the recorder's lock. */
void beat_tell_mutes(void);

#endif
