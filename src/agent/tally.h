/* What became of the classes that the agent saw, for the report (abi/weaving.h). What a batch of
 * classes comes to counts once the JVM has taken the batch. */

#ifndef AGENT_TALLY_H
#define AGENT_TALLY_H

#include "abi/weaving.h"
#include "agent/weaver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any thread. */
void agent_tally_class(const struct agent_outcome *outcome);
void agent_tally_add(enum abi_weaving what, uint64_t count);

/* Classes of the program that came by, with and without probes. */
uint64_t agent_tally_seen(void);

/* All that the calling thread counts from now on, until it says how it went. */
void agent_tally_begin_batch(void);
void agent_tally_end_batch(bool is_taken);
bool agent_tally_is_in_batch(void);

#endif
