/* The answer in a sentence or two: which thread was busy or waited, and with what. */

#ifndef ANSWER_HEADLINE_H
#define ANSWER_HEADLINE_H

#include "answer/path.h"

/* The first; where there are messages, the thread that has to answer them. */
const struct answer_pool *answer_first_pool(const struct answer_recording *recording,
                                            const struct mb_buf *pools);

/* Slow messages, if there are messages at all, and what the pool of the path did. */
void answer_find_headline(struct answer_findings *findings, const struct answer_facts *facts,
                          const struct mb_buf *pools, const struct answer_path *path);

#endif
