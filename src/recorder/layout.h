/* The memory of a session: its tables, what its header says, and the file it is mapped from. All
 * under the lock, none while the session is open for recording, but that whom a trace comes from
 * may be told at any time. */

#ifndef RECORDER_LAYOUT_H
#define RECORDER_LAYOUT_H

#include "recorder/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Where a trace goes ---- */

#define BEAT_FOLDER_FILES 4u /* traces of processes of one name, in a folder that names them */

/* The path that pattern stands for: "%p" is the process id, "%%" a '%', "auto" a name of the
 * process's own in the working folder, a pattern that ends in '/' such a name in that folder, which
 * is made if its parent is there. process: the process's name. False if the path gets too long. */
bool beat_place_find(char path[BEAT_PATH_SIZE], const char *pattern, const char *process);

/* Was it named by us in a folder of traces? */
bool beat_place_is_folder(const char *pattern);

/* Make room beside path, which beat_place_find has made of a folder, for one more trace: the oldest
 * of processes of the same name go, but for those that are being recorded, until there are
 * BEAT_FOLDER_FILES with the new one; what a kill left unfinished goes after a minute. */
void beat_place_tidy(const char *path);

/* ---- The memory ---- */

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

/* ---- Whom it comes from ---- */

/* What the option app says, or the monitors, who know more (abi/identity.h). */

/* Note in the header of the session what was told, or the pairs of the option, NULL if none. One
 * message if they are wrong. Under the lock. */
void beat_identity_note(struct beat_recorder *recorder, const struct beat_options *options);

/* From now on traces have these checked pairs, the present one too. */
void beat_identity_tell(const char *pairs);

#endif
