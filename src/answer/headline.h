/* The answer in a sentence or two: which thread was busy or waited, and with what. */

#ifndef ANSWER_HEADLINE_H
#define ANSWER_HEADLINE_H

#include "answer/path.h"

/* All pools, and the way down of the one that has the answer: the first, or where there are
 * messages, the thread that has to answer them. Zeroed memory can be finished. */
struct answer_lead {
    union answer_pools pools;
    struct answer_path path;
};

/* Without memory pools fails. */
void answer_lead_find(struct answer_lead *lead, const struct answer_recording *recording,
                      const struct answer_clock *clock, const struct answer_threads *threads);
void answer_lead_finish(struct answer_lead *lead);

/* Slow messages, if there are messages at all, what the pool of the path did, and slow requests. */
void answer_find_headline(struct answer_findings *findings, const struct answer_facts *facts,
                          const struct answer_lead *lead);

#endif
