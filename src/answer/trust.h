/* How far to trust a report: what it does not show, how much that is, and which setting cures it.
 */

#ifndef ANSWER_TRUST_H
#define ANSWER_TRUST_H

#include "answer/facts.h"
#include "answer/finding.h"

void answer_find_trust(struct answer_findings *findings, const struct answer_facts *facts);

/* The same in a line: TRUST_WHOLE or whatever is worse, and a sentence. */
enum answer_kind answer_find_summary(struct answer_findings *findings,
                                     const struct answer_facts *facts);

/* False where all times are from samples. */
bool answer_has_records(const struct answer_facts *facts, const struct answer_sums *sums);

/* The part of that which is about samples (sampled.c); nothing without any. */
void answer_find_samples(struct answer_findings *findings, const struct answer_sampling *sampling);

/* True if it is unknown what threads wait for: no samples tell what was called meanwhile. */
bool answer_tells_no_waits(const struct answer_facts *facts);

#endif
