/* Finds the method map of a trace if none was given: the one with the hash that the trace names. */

#ifndef ANSWER_MAP_FINDER_H
#define ANSWER_MAP_FINDER_H

#include "abi/tracefile.h"
#include "base/buf.h"

/* True if a trace that names this hash was recorded with this map, as it was written or as it is.
 */
bool answer_map_has_hash(const struct mb_buf *map, uint64_t hash);

/* Look where the trace says that the map lay, if it names a hash, beside the trace, then in each
 * folder of the list (separated by colons; NULL if none): first at methodMapping.txt, then at every
 * other .txt by name. A trace that names no hash takes the first methodMapping.txt. *found becomes
 * the terminated path, *text what that file had when it was found: reading it again could read
 * another one. MB_BAD_USAGE if there is none; if something could not be read that may have been it,
 * that failure. */
MB_MUST_CHECK enum mb_status answer_find_map(struct mb_buf *found, struct mb_buf *text,
                                             const struct abi_tracefile *trace,
                                             const char *trace_path, const char *folders,
                                             struct mb_error *err);

#endif
