/* A trace has room for all that may be recorded, as holes of its file; what copies files as they
 * look writes them out. When the recording is over, its trace is written anew without them. */

#ifndef PROC_COMPACT_H
#define PROC_COMPACT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Copies of files that another process has, and may change meanwhile ---- */

/* Bytes from..end of one file, which go to `to` in another. */
struct proc_copy_range {
    uint64_t from;
    uint64_t end;
    uint64_t to;
};

/* Holes stay holes; what the file is too short for is left out. */
MB_MUST_CHECK enum mb_status proc_copy_range(int from, int to, const struct proc_copy_range *range,
                                             struct mb_error *err);

/* Write one regular file, as long as it is now, to another, which is empty; what is empty goes as
 * holes, which take no time. Both are borrowed. MB_IO that names no path. */
MB_MUST_CHECK enum mb_status proc_copy_open(int from, int to, struct mb_error *err);

/* ---- Traces ---- */

/* Write what from has to the empty file to, in the least room. *is_done is false, and nothing is
 * written, unless from is a trace whose tables make sense. Both are borrowed; another process may
 * change from meanwhile. MB_IO that names no path. */
MB_MUST_CHECK enum mb_status proc_compact(int from, int to, bool *is_done, struct mb_error *err);

/* Write the trace that from has to the empty file to, compact where it can be. MB_BAD_TRACE if it
 * is another file. */
MB_MUST_CHECK enum mb_status proc_copy_trace(int from, int to, struct mb_error *err);

/* Have a compact file take the place of a trace that no process records into. The trace stays as it
 * is if that fails. */
void proc_compact_file(const char *path);

#endif
