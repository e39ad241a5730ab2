/* Cuts the classes of all inputs into pieces of work, small enough to keep every thread busy to the
 * end and large enough that sharing them out costs nothing. */

#ifndef INSTRUMENT_BATCH_H
#define INSTRUMENT_BATCH_H

#include "instrument/source.h"

/* Classes [first, end) of one source. */
struct ins_batch {
    uint32_t source;
    uint32_t first;
    uint32_t end;
};

/* All classes of sources that are not known already, in order of inputs and entries. Owned by the
 * arena. */
MB_MUST_CHECK enum mb_status ins_cut_batches(const struct ins_sources *sources,
                                             struct mb_arena *arena, struct ins_batch **batches,
                                             size_t *count, struct mb_error *err);

#endif
