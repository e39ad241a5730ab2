/* Who waits for whom: waits for locks by place, lock and owner, and what owners wait for in turn.
 */

#ifndef ANSWER_WAITS_H
#define ANSWER_WAITS_H

#include "answer/facts.h"
#include "base/vec.h"

/* All waits of one place for locks of one class. */
struct answer_wait {
    const struct answer_block *first;   /* whose place is known, if any is */
    const struct answer_block *longest; /* of those whose owner is known, if any is */
    int64_t longest_ns;                 /* of all */
    uint64_t count;
    int64_t sum_ns;
};

MB_VEC_TYPE(answer_waits, struct answer_wait);

/* waits is empty, and finished by the caller; the greatest sum comes first. It fails without
 * memory. */
void answer_waits_collect(union answer_waits *waits, const struct answer_blocks *blocks);

/* Is it of the waits of that one? */
bool answer_is_same_wait(const struct answer_block *a, const struct answer_block *b);

/* What the owner of the lock waited for when it was asked for; NULL if it worked, or that is not
 * known. */
const struct answer_block *answer_wait_of_owner(const struct answer_blocks *blocks,
                                                const struct answer_block *block);

#define ANSWER_LONGEST_CHAIN 8 /* of waits that are told: threads may wait in a circle */

/* Where the owner is not known: what cannot be known of such a lock, as a clause. NULL if that is
 * no reason. */
const char *answer_wait_unknown(const struct answer_block *block);

/* The class of the lock, with dots; "a lock" if it is not known. */
void answer_put_lock(struct mb_buf *out, struct mb_text lock);

#endif
