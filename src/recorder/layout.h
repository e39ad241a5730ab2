/* The memory of a session: its tables, what its header says, and the file it is mapped from. All
 * under the lock, none while the session is open for recording. */

#ifndef RECORDER_LAYOUT_H
#define RECORDER_LAYOUT_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stddef.h>

/* Called with the trace's path, or with NULL and the reason why there is none. The recorder's lock
 * is held. Set before the first recording; may be NULL. */
extern void (*beat_layout_listener)(const char *file, const char *failure);

/* Zeroed memory of that size for recorder->options, in place of the last session's. False, and one
 * message, if memory runs out. */
bool beat_layout_take_memory(struct beat_recorder *recorder, size_t size);

/* Fill header and tables of zeroed memory; time 0 is now. */
void beat_layout_describe(struct beat_recorder *recorder, const struct beat_options *options);

/* NULL: as the system knows it. */
void beat_layout_name_process(struct abi_trace_header *header, const char *wanted);

/* Store the hash of options->mapping, or options->mapping_hash, and the file's absolute path. */
void beat_layout_name_mapping(struct beat_recorder *recorder, const struct beat_options *options);

/* Move the memory to the file that pattern names ("%p" is the process id, "auto" stands for the
 * program; NULL if none). If that fails there is one message, the records stay in memory, and the
 * program never notices. */
void beat_layout_move_to_file(struct beat_recorder *recorder, const char *pattern);

#endif
