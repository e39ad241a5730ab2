/* The end of all recordings of a program that goes on. */

#ifndef PROC_STOP_H
#define PROC_STOP_H

#include <stddef.h>
#include <stdint.h>

/* Have the process and those below it stop recording, and wait until each has, at most 10 s.
 * Returns how many did. */
size_t proc_stop_below(uint64_t process_id);

#endif
