/* How long calls took: the words of a trace's section of lengths, found by their upper half. */

#ifndef RECORDER_PROFILE_LENGTHS_H
#define RECORDER_PROFILE_LENGTHS_H

#include "abi/profile.h"
#include "abi/section.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed memory keeps none. */
struct prof_lengths {
    struct abi_trace_section *section;
    _Atomic(uint64_t) *rows;
    uint32_t capacity; /* rows that have memory; may grow */
    uint32_t slot_mask;
    uint32_t *slots; /* hash table: a row, + 1 */
};

/* False without memory; finish also then. capacity is 0 until the caller sets it. */
bool prof_lengths_init(struct prof_lengths *lengths, struct abi_trace_section *section,
                       _Atomic(uint64_t) *rows);
void prof_lengths_finish(struct prof_lengths *lengths);

/* Count a call of the method; last is the row of its last one, + 1, or 0. flags are
 * ABI_LENGTH_REQUEST and ABI_LENGTH_ON_PROCESSOR. */
void prof_lengths_count(struct prof_lengths *lengths, uint32_t *last, uint32_t id, uint32_t flags,
                        uint64_t units);

/* The calls of a bucket. */
uint32_t prof_lengths_calls(const struct prof_lengths *lengths, uint32_t id, uint32_t flags,
                            uint32_t bucket);

#endif
