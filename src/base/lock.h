/* Only one run at a time commits into a folder: it holds the lock on a file .methodbeat-lock there,
 * which goes with the lock. Where the file system has no locks everybody may. */

#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/error.h"

#include <stddef.h>

struct mb_lock {
    int folder;       /* open; borrowed */
    int fd;           /* -1: not locked */
    const char *path; /* for messages */
};

/* Lock all folders, in an order that all runs share, waiting for others to end; on failure none.
 * Sorts the locks. MB_INTERRUPTED if a signal comes meanwhile. */
MB_MUST_CHECK enum mb_status mb_lock_all(struct mb_lock *locks, size_t count, struct mb_error *err);

void mb_unlock_all(struct mb_lock *locks, size_t count);

/* The file's name, and its removal where a killed run left it. */
#define MB_LOCK_NAME ".methodbeat-lock"
void mb_lock_tidy(int folder);

#endif
