/* A writer of another kind than beat_i: Java stores into the main ring itself. */

#ifndef RECORDER_FOREIGN_H
#define RECORDER_FOREIGN_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

/* What such a writer has to know, all of one session. */
struct beat_foreign {
    uint32_t session; /* the recorded one, or BEAT_NO_SESSION: then all else is 0 */
    uint8_t *bytes;   /* stay mapped for as long as the process lives */
    uint64_t size;    /* to the end of the main ring's words */
    uint64_t words_offset;
    uint64_t capacity;
    bool records_others;
};

/* The id of the thread that has become main; -1 if none has: then no thread is to be main yet. */
int32_t beat_foreign_main_thread(void);

/* The thread with this id and this name ("": the system's) is main from now on, and in the sessions
 * to come. With stores, it writes to the main ring itself: the ring is claimed for it. False if
 * another thread has it. */
bool beat_foreign_become_main(int32_t thread_id, const char *name, bool stores);

/* Claim the main ring of a new session for the thread that has become main, and be ready for its
 * stores. False if another thread has it; true also if none has become main. */
bool beat_foreign_claim(void);

/* Where to store. Called by the thread that stores, which by that is done with what it got before:
 * until then no other session gets that memory. */
struct beat_foreign beat_foreign_take(void);

/* What beat_foreign_take would say, for anybody. */
struct beat_foreign beat_foreign_look(void);

/* Count a record of a virtual thread without a lane. No lock, but for a thread's first
 * in a session. */
void beat_foreign_pass(void);

/* A message begins or ends on the thread that stores. No lock, at most one system call. */
void beat_foreign_message(bool begins);

#endif
