/* What surrounds the process: its arguments, streams, terminal and clock. Processors, signals and
 * memory have headers of their own: base/processors.h, interrupt.h, pages.h, mapping.h. */

#ifndef BASE_PLATFORM_SYSTEM_H
#define BASE_PLATFORM_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* At the start of main. The arguments become UTF-8, and paths in them as mb_path_accept
 * makes them. Standard streams take bytes
 * as they are; a closed one is kept occupied, so that no file gets its number, and fails as a
 * closed one does. A write beyond the limit of a file's size fails, too, in place of ending the
 * process. */
void mb_system_begin(int *argc, char ***argv);

/* Columns of the terminal that fd is open on; 0 if it is not a terminal, or unknown. */
unsigned mb_terminal_columns(int fd);

/* True if it is a terminal that shows escape sequences as colours, and is ready for them. */
bool mb_terminal_has_colours(int fd);

/* From now on local time is UTC. False with errno. */
bool mb_time_use_utc(void);

/* Seconds since 1970 as a date in UTC; false if it has none. */
bool mb_time_to_utc(int64_t seconds, struct tm *date);

/* The seconds of a date in UTC, whose fields may lie beyond their limits. */
int64_t mb_time_from_utc(const struct tm *date);

/* By system calls alone, as handlers of signals must: text to standard error, and the end. */
void mb_system_complain(const char *text);
_Noreturn void mb_system_quit(int code);

#endif
