/* Cuts classes into pieces of work, small enough to keep every thread busy to the end and large
 * enough to make sharing cheap. */

#ifndef INSTRUMENT_PLAN_BATCH_H
#define INSTRUMENT_PLAN_BATCH_H

#include "instrument/plan/model.h"

/* No batch has more classes. */
#define PLAN_BATCH_CLASSES 32U

/* Part of a list: [first, end). */
struct plan_span {
    uint32_t first;
    uint32_t end;
};

/* Cut a part of the work into batches, in its order, and give their number; batches may be NULL. */
size_t plan_cut_batches(struct plan_class *const *work, struct plan_span part,
                        struct plan_span *batches);

#endif
