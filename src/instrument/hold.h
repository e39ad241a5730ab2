/* The bytes of classes between the passes. Small runs hold them, so that they are unpacked once;
 * larger ones would need the memory for longer than the time is worth, and read again. */

#ifndef INSTRUMENT_HOLD_H
#define INSTRUMENT_HOLD_H

#include "base/text.h"

#include <stdatomic.h>
#include <stdint.h>

/* Bytes that a run may hold. The classes of kotlin-compiler take 92 MB. */
#define INS_HOLD_LIMIT ((uint64_t)96 << 20)

/* Zeroed memory holds nothing. */
struct ins_hold {
    char *bytes;
    size_t capacity;
    atomic_size_t used; /* may pass the capacity: then something found no room */
};

/* Make room for classes of so many bytes in all; none if they are too many or memory is short. */
void ins_hold_open(struct ins_hold *hold, uint64_t total_size);
void ins_hold_finish(struct ins_hold *hold);

/* Room for size bytes, which lasts until finish; NULL if there is none. Any thread. */
char *ins_hold_take(struct ins_hold *hold, size_t size);

/* Room that turned out not to be needed; it is used again only if nobody has taken some since. */
void ins_hold_give_back(struct ins_hold *hold, const char *room, size_t size);

#endif
