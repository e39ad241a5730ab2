/* Slow requests: their words are fed a second time, to a tree of their own, while they are still in
 * the ring. */

#ifndef RECORDER_SLOW_H
#define RECORDER_SLOW_H

#include "recorder/copy.h"
#include "recorder/tables.h"
#include "recorder/usage.h"

/* What the thread of a ring used before its words of a round, and before its open request. */
struct beat_used {
    const struct abi_trace_header *header;
    uint64_t position;            /* of the first word of the round */
    struct beat_usage at_round;   /* as last read before it */
    struct beat_usage at_request; /* before the request, if that began earlier */
    uint64_t still; /* the longest time without a word in the request at which it was looked at, */
    bool is_io;     /* and whether it read or wrote then */
};

/* A round begins at that position, and usage is as last read; its words are all read. */
void beat_slow_begin(struct beat_used *used, const struct abi_trace_header *header,
                     const struct beat_usage *usage, uint64_t position);
/* A request is open, and its thread has stored no word since then: look why, now and then. */
void beat_slow_look(struct beat_used *used, uint32_t thread_id, uint64_t since);
void beat_slow_end(struct beat_used *used, const struct prof_asked *request);

/* Take what the tree has found in words of that ring. room is for a portion of words. One that has
 * been overwritten is counted as lost. Under the drain's lock. */
void beat_slow_take(struct beat_tables *tables, const struct beat_source *source,
                    struct beat_room room, const struct beat_used *used);

#endif
