/* The record: one 64-bit word that a probe writes, drawn here and nowhere else.
 *
 *   63   62            43 42                                  0
 *  +---+----------------+-------------------------------------+
 *  | i |   method id    |   time, modulo 2^43                 |
 *  +---+----------------+-------------------------------------+
 *
 * Bit 63 is 1 on entry (i) and 0 on exit (o). Time counts from the start of the recorder; its unit
 * is in the trace file (abi/tracefile.h). Word 0 is not a record: a slot that was never written.
 *
 * A catch (c), control is in a call of this method again, so that all calls above it are over,
 * takes two words: an exit of ABI_CATCH_ID, then one of the method, which closes nothing. Where a
 * ring was lapped between them the second is an exit without its entry, as others are there.
 */

#ifndef ABI_RECORD_H
#define ABI_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define ABI_TIME_BITS 43
#define ABI_ID_BITS 20
#define ABI_ENTER_BITS 1

#define ABI_TIME_MASK ((UINT64_C(1) << ABI_TIME_BITS) - 1)
#define ABI_ID_MASK ((UINT32_C(1) << ABI_ID_BITS) - 1)
#define ABI_ENTER (UINT64_C(1) << (ABI_TIME_BITS + ABI_ID_BITS))

#define ABI_EMPTY_WORD UINT64_C(0)

_Static_assert(ABI_ENTER_BITS + ABI_ID_BITS + ABI_TIME_BITS == 64, "the fields fill one word");
_Static_assert(ABI_ENTER == UINT64_C(1) << 63, "entry is the top bit");

/* The word without its time: what a probe knows at compile time. */
static inline uint64_t abi_record_head(uint32_t id, bool enter)
{
    return (enter ? ABI_ENTER : 0) | (uint64_t)(id & ABI_ID_MASK) << ABI_TIME_BITS;
}

static inline uint64_t abi_record(uint32_t id, bool enter, uint64_t time)
{
    return abi_record_head(id, enter) | (time & ABI_TIME_MASK);
}

static inline bool abi_record_is_enter(uint64_t word)
{
    return (word & ABI_ENTER) != 0;
}

static inline uint32_t abi_record_id(uint64_t word)
{
    return (uint32_t)(word >> ABI_TIME_BITS) & ABI_ID_MASK;
}

static inline uint64_t abi_record_time(uint64_t word)
{
    return word & ABI_TIME_MASK;
}

/* Time from a to b, right across the wrap of the field. */
static inline uint64_t abi_record_elapsed(uint64_t a, uint64_t b)
{
    return (b - a) & ABI_TIME_MASK;
}

#endif
