/* Names of files, so that two that mean the same place can be told to. */

#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/arena.h"
#include "base/error.h"

/* The one absolute name of a file that need not be there, nor the folders above it: without "." and
 * "..", and without links to folders; a link as last component stays. Owned by the arena. Fails,
 * naming the path, where that cannot be told. */
MB_MUST_CHECK enum mb_status mb_path_resolve(const char *path, struct mb_arena *arena,
                                             const char **resolved, struct mb_error *err);

#endif
