/* A recorder that runs, asked for something through the trace that it writes. */

#ifndef CLI_CONTROL_H
#define CLI_CONTROL_H

#include "abi/control.h"

#include <stdint.h>

/* Ask the process, or the one below it that records, wait for the answer, 10 s where timeout_s is
 * 0, and print it: the path of a dump, or the trace that is complete. An enum cli_exit. */
int cli_ask_recorder(uint64_t process_id, enum abi_control_command command, uint64_t timeout_s);

#endif
