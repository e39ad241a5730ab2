/* The tables of the live profile: sections of the session's memory, with disk blocks behind them.
 * All under the drain's lock. */

#ifndef RECORDER_TABLES_H
#define RECORDER_TABLES_H

#include "profile/profile.h"
#include "recorder/memory.h"
#include "recorder/mutes.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed memory is that of no session. */
struct beat_tables {
    struct beat_memory *memory; /* pinned and read; NULL: without a profile */
    struct prof_tree tree;
    struct abi_trace_section *row_section;
    struct abi_profile_thread *rows;
    uint32_t row_room; /* rows for which there is memory behind */
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

/* See to memory behind count more nodes, unless the disk or the table is full. */
void beat_tables_make_room(struct beat_tables *tables, uint32_t count);

#endif
