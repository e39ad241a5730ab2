/* The tables of the live profile: sections of the session's memory, with disk blocks for them.
 * All under the drain's lock. */

#ifndef RECORDER_TABLES_H
#define RECORDER_TABLES_H

#include "abi/profile.h"
#include "abi/section.h"
#include "recorder/core.h"
#include "recorder/memory.h"
#include "recorder/mutes.h"
#include "recorder/pauses.h"
#include "recorder/profile/lengths.h"
#include "recorder/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed memory is that of no session. */
struct beat_tables {
    struct beat_memory *memory; /* pinned and read; NULL: without a profile */
    struct prof_tree tree;
    struct prof_lengths lengths;
    struct prof_tree slow; /* of slow requests alone */
    struct abi_trace_section *slow_section;
    struct abi_profile_slow *slow_rows;
    uint32_t slow_room; /* rows that have disk blocks */
    struct beat_pauses pauses;
    struct abi_trace_section *row_section;
    struct abi_profile_thread *rows;
    uint32_t row_room; /* rows that have disk blocks */
    struct beat_judge judge;
    int fd;       /* of the file in which blocks are reserved */
    bool is_full; /* the disk is */
};

/* Take the tables of the recorded session on. False, and no tables, if memory runs out. Under both
 * locks. */
bool beat_tables_init(struct beat_tables *tables, const struct beat_recorder *recorder);

/* Let go of the session's memory, which the caller may not have: a forked child's parent has it. */
void beat_tables_finish(struct beat_tables *tables, bool has_memory);

/* The memory may have moved to a file since it was last looked at: reserve blocks there. */
void beat_tables_follow_file(struct beat_tables *tables);

/* Reserve disk blocks for count more nodes and lengths, unless the disk or the table is full. */
void beat_tables_make_room(struct beat_tables *tables, uint32_t count);

/* The same for one table, of which *capacity records have theirs. */
void beat_tables_extend(struct beat_tables *tables, const struct abi_trace_section *section,
                        uint32_t *capacity, uint32_t count);

/* ---- Which row of the profile a thread's calls go to ---- */

/* The row for the new owner of a ring: that of an ended thread of the same name (all of Java's
 * virtual threads of one name share one), a new one, or, when the table is full, the last. As
 * rows get scarce, names that differ in digits only count as the same. Under the recorder's lock,
 * which names and claims are under. room: the number of rows that have memory, not 0. */
uint32_t beat_rows_take(struct abi_trace_section *section, struct abi_profile_thread *rows,
                        uint32_t room, const struct abi_trace_ring *ring, uint32_t ring_index);

#endif
