/* Canonical file names, so that two names of one place compare equal. */

#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/arena.h"
#include "base/error.h"

/* The canonical absolute name of a file, which need not exist, nor the folders above it: without
 * "." and "..", and without links to folders; a link as last component stays. Owned by the arena.
 * On failure the error names the path. */
MB_MUST_CHECK enum mb_status mb_path_resolve(const char *path, struct mb_arena *arena,
                                             const char **resolved, struct mb_error *err);

#endif
