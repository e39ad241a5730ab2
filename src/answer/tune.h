/* Which methods to leave out, so that recording costs less: a blacklist made from a trace. */

#ifndef ANSWER_TUNE_H
#define ANSWER_TUNE_H

#include "answer/model.h"

/* Append a blacklist with the fewest methods whose probes have to go so that those that stay cost
 * at most percent of the time that the program takes without probes, on each thread that matters;
 * and those that were muted while it ran. After each rule, in a comment: calls, mean time, and what
 * its probes have cost. Fails only when out of memory. */
MB_MUST_CHECK enum mb_status answer_tune(const struct answer_facts *facts,
                                         const struct abi_methodmap *map, uint64_t percent,
                                         struct mb_buf *out, struct mb_error *err);

#endif
