/* How far to trust a report: what it does not show, how much that is, and which setting cures it.
 */

#ifndef ANSWER_TRUST_H
#define ANSWER_TRUST_H

#include "answer/facts.h"

/* Takes what there is to say, a paragraph at a time. Line ends are kept out of text. */
struct answer_items {
    void (*put)(void *context, const char *label, const struct mb_buf *text);
    void *context;
    size_t room; /* columns for a name; 0: in full */
};

void answer_tell_trust(const struct answer_facts *facts, const struct answer_items *items);

/* The part of that which is about samples (sampled.c); nothing without any. */
void answer_tell_samples(const struct answer_facts *facts, const struct answer_items *items);

#endif
