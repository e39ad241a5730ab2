/* Positions in the calling thread's records, for code that begins and ends its messages. Takes
 * no lock, and uses none of the trace file's marks. */

#ifndef RECORDER_HERE_H
#define RECORDER_HERE_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value, valid while its thread has that ring. */
struct beat_here {
    const struct abi_trace_ring *ring; /* NULL: the thread is not recorded */
    uint32_t claim;
    uint64_t position;
};

/* Where the calling thread is. */
struct beat_here beat_here(void);

/* The calling thread enters a message: its record, if a session is open, is the first after the
 * position that is returned. No lock, but for a thread's first one in a session. Starts no
 * recording. */
struct beat_here beat_here_enter(void);

/* The message that was just entered is of that kind, or is about to be left. */
void beat_here_kind(uint32_t kind, bool begins);

/* It leaves the message: the record, if its thread has a ring, is the last one before the position
 * that is returned. */
struct beat_here beat_here_leave(void);

/* What was copied. */
struct beat_copied {
    uint64_t first; /* the position of the first word */
    size_t count;
    bool is_lapped;       /* the first words asked for were overwritten, or had no room */
    uint64_t now;         /* before the copy, in units of the words, all 64 bits */
    uint64_t ns_per_unit; /* for abi_trace_ns */
};

/* A mark at that position; null if the ring has a new owner or has lapped it. */
struct beat_mark beat_here_mark(const struct beat_here *at, const char *source);

/* Find the index of its ring in the recorded session; false if absent. Under the lock. */
bool beat_here_find(const struct beat_recorder *recorder, const struct beat_here *here,
                    uint32_t *index);

#define BEAT_TO_THE_END UINT64_MAX

/* Copy the words from that position to end, the newest if all do not fit, while the
 * writer runs. False if the ring is not that thread's any more, or a session of other memory has
 * begun. Takes the recorder's lock, but not while it copies. */
bool beat_here_copy(const struct beat_here *from, uint64_t end, uint64_t *words, size_t room,
                    struct beat_copied *copied);

#endif
