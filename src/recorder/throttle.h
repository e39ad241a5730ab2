/* Which methods are muted while a profile is made, and the table that probes look into. */

#ifndef RECORDER_THROTTLE_H
#define RECORDER_THROTTLE_H

#include "abi/record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum beat_state {
    BEAT_RECORDED,
    BEAT_MUTED,
    BEAT_TIMED, /* its threads read what they were ready for (recorder/readings.h) */
};

/* [id]: a method that is muted stays so until beat_unmute_all, since HotSpot compiles nonzero
 * entries of Java's table as constants. */
extern _Atomic(uint8_t) beat_muted[ABI_ID_MASK + 1];

#define BEAT_MAX_MUTED 8192u

/* Mute a method. False if the table of muted methods is full. One thread at a time. */
bool beat_mute(uint32_t id);

/* Time the requests of a method from now on, unless it is muted, or no more: Java then asks in
 * vain. One thread at a time. */
void beat_time(uint32_t id, bool is_timed);
void beat_time_none(void);

/* Iterate over muted methods in the order in which they were muted: *next starts at 0. False
 * after the last. */
bool beat_next_muted(size_t *next, uint32_t *id);

/* The state of methods from now on. */
typedef void beat_mutes_fn(const uint32_t *ids, size_t count, enum beat_state state);

/* Set the listener, which is given each muted or timed method for a table of its own. It is called
 * without the recorder's lock, by the keeper or by a start. */
void beat_on_mute(beat_mutes_fn *told);

/* Told once that there is a muted method, after the listener above; NULL if none. */
extern void (*_Atomic beat_mute_listener)(void);

/* Unmute all methods, and tell the listener; those that are left when a session opens meanwhile
 * stay muted. For a caller that has classes with probes compiled anew. Not under the recorder's
 * lock. */
void beat_unmute_all(void);

/* In a forked child: unmute all methods, without telling the listener. */
void beat_mutes_abandon(void);

/* Give the listener the methods muted since the last call. Not under the recorder's lock. */
void beat_tell_mutes(void);

#endif
