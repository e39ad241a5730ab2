/* Names of threads and processes, as the trace file keeps them. */

#ifndef RECORDER_NAME_H
#define RECORDER_NAME_H

#include "abi/tracefile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy, always terminated; what does not fit is cut between two characters of UTF-8. */
void beat_name_copy(char name[ABI_TRACE_NAME_SIZE], const char *from);

/* A name as one part of a path: letters, digits, '_' and '-' stay, '.' too unless it is first, and
 * each other character becomes '_'. Cut to size - 1 bytes; "unnamed" if nothing is left. */
void beat_name_as_file(char *text, size_t size, const char *name);

/* The system's name for a thread, of at most 15 bytes; name stays if absent. No stdio, no
 * heap: a signal handler may be the first to record something on its thread. */
void beat_name_of_thread(char name[ABI_TRACE_NAME_SIZE], uint32_t thread_id);

/* The same but for digits: all runs of them are taken as equal. */
bool beat_name_is_alike(const char *a, const char *b);

#endif
