/* The end of all recordings of a program that goes on. */

#ifndef CLI_CONTROL_STOP_H
#define CLI_CONTROL_STOP_H

#include <stddef.h>
#include <stdint.h>

/* Have the process and those below it stop recording, and wait until each has, at most 10 s.
 * Returns how many did. */
size_t cli_control_stop_below(uint64_t process_id);

#endif
