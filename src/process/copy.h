/* Copies of files that another process has, and may change meanwhile. */

#ifndef PROC_COPY_H
#define PROC_COPY_H

#include "base/error.h"

#include <stdint.h>

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

#endif
