/* When the keeper drains the rings next: soon enough that none fills, seldom enough to cost little.
 */

#ifndef RECORDER_PACING_H
#define RECORDER_PACING_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
