/* Moves words from the rings into the profile: the keeper every few milliseconds, others when
 * they need it up to date. The drain has its own lock, which is taken before the recorder's and
 * never by a probe. */

#ifndef RECORDER_DRAIN_H
#define RECORDER_DRAIN_H

#include "recorder/copy.h"
#include "recorder/core.h"
#include "recorder/tables.h"
#include "recorder/usage.h"

#include <stdbool.h>
#include <stdint.h>

/* While the lock is held, the profile does not change. Not under the recorder's lock. */
void beat_drain_lock(void);
void beat_drain_unlock(void);

/* Bring the profile of the recorded session up to date, as far as the rings were written when this
 * is called. Under the drain's lock, not the recorder's. */
void beat_drain_all(void);

/* Release the memory of the recorded session before a new one replaces it. Under both locks. */
void beat_drain_forget(void);

/* Finish the calling thread, which ends: drain its last words, close its calls, read its CPU
 * time. Under no lock. */
void beat_drain_thread(struct beat_thread *thread);

/* One round of the keeper: drain all rings, mute methods. Returns when the next is due, in
 * nanoseconds from this call; BEAT_DRAIN_NEVER without a profile. late_ns is how much later than
 * was planned this one begins. Under no lock. */
#define BEAT_DRAIN_NEVER INT64_MAX
int64_t beat_drain_round(int64_t late_ns);

/* Release memory that the profile needs no longer, when the keeper leaves a session. Under no
 * lock. */
void beat_drain_release(void);

/* In a forked child: forget the profile. Under both locks. */
void beat_drain_abandon(void);

/* When the keeper drains the rings next: soon enough that none fills, seldom enough to cost little.
 */

struct beat_pacing {
    uint64_t drained_words; /* in this round */
    uint64_t lost_words;
    uint32_t rings;         /* with words */
    double fullest;         /* the greatest part of a ring that was found filled */
    int64_t asking_ns;      /* time spent on asking what threads use */
    int64_t usage_every_ns; /* how often that is asked */
    int64_t interval_ns;    /* to the next round */
    int64_t begin_ns;       /* of the last round, monotonic */
    uint32_t idle_rounds;   /* in a row, without words */
};

/* A session begins. */
void beat_pacing_init(struct beat_pacing *pacing);

/* A round begins: forget what the last one found. */
void beat_pacing_begin_round(struct beat_pacing *pacing);

/* Words were found in a ring of that capacity. */
void beat_pacing_note_words(struct beat_pacing *pacing, uint64_t words, uint64_t capacity);

/* The round that began at now_ns has ended: choose interval_ns. */
void beat_pacing_end_round(struct beat_pacing *pacing, int64_t now_ns);

/* Is it time to ask what a thread uses, after asked_ns? is_still: it did nothing until then, and
 * has not called since. */
bool beat_pacing_usage_is_due(const struct beat_pacing *pacing, bool is_still, int64_t asked_ns,
                              int64_t now_ns);

/* May exact times be shared out anew, after shared_ns? All threads have learnt their last share by
 * then: they do with each step of the clock, of that resolution. */
bool beat_pacing_share_is_due(uint64_t resolution_ns, int64_t shared_ns, int64_t now_ns);

/* Slow requests: their words are fed a second time, to a tree of their own, while they are still in
 * the ring. */

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
