/* Which row of the profile a thread's calls go to. */

#ifndef RECORDER_ROWS_H
#define RECORDER_ROWS_H

#include "abi/profile.h"
#include "abi/section.h"
#include "recorder/core.h"

#include <stdint.h>

/* The row for the new owner of a ring: that of an ended thread of the same name (all of Java's
 * virtual threads of one name share one), a new one, or, when the table is full, the last. As
 * rows get scarce, names that differ in digits only count as the same. Under the recorder's lock,
 * which names and claims are under. room: the number of rows that have memory, not 0. */
uint32_t beat_rows_take(struct abi_trace_section *section, struct abi_profile_thread *rows,
                        uint32_t room, const struct abi_trace_ring *ring, uint32_t ring_index);

#endif
