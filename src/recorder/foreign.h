/* A writer of another kind than beat_i: Java stores into the rings of its threads itself, each
 * thread into its own. The count that lies in the ring is the only one there is, so that beat_i may
 * write between two of its stores. */

#ifndef RECORDER_FOREIGN_H
#define RECORDER_FOREIGN_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stdint.h>

/* A ring, and what a writer has to know of it. */
struct beat_foreign {
    uint8_t *bytes;          /* stay mapped for as long as the process lives; NULL: no ring */
    uint64_t size;           /* to the end of the ring's words */
    uint64_t written_offset; /* of the count of words, which goes up after each store */
    uint64_t words_offset;
    uint64_t capacity;
    int64_t start_ns; /* time 0 on the monotonic clock */
};

/* The id of the thread that has become main; -1 if none has: then no thread is to be main yet. */
int32_t beat_foreign_main_thread(void);

/* The thread with this id is main from now on, and in the sessions to come. */
void beat_foreign_become_main(int32_t thread_id);

/* Not only the main thread is to be recorded. */
bool beat_foreign_records_others(void);

/* The ring of the calling thread, attached to the present session, where that has the coarse clock:
 * its time is 0 once the session is over. The thread is done with the ring that it took before:
 * until then no other session gets that memory. */
struct beat_foreign beat_foreign_take(void);

/* The calling thread goes on to the other half of its ring: have the keeper drain the one before,
 * and wait while the words there are not in the profile yet, 10 ms at most. Java writes as fast as
 * the keeper reads, and two busy processors may leave the keeper none. */
void beat_foreign_begin_half(void);

/* A record costs the calling thread's Java so much at the moment: say in the trace how long that
 * was as slow as at first. False once it is not: there is nothing more to say. */
bool beat_foreign_note_cost(uint32_t record_ns);

/* Count a record of a virtual thread without a lane. No lock, but for a thread's first
 * in a session. */
void beat_foreign_pass(void);

#endif
