/* Only one run at a time commits into a folder: it holds the lock on a file .methodbeat-lock there,
 * which goes with the lock. Where the file system has no locks everybody may. */

#ifndef PUBLISH_LOCK_H
#define PUBLISH_LOCK_H

#include "base/error.h"

#include <stddef.h>

struct pub_lock {
    int folder;       /* open; borrowed */
    int fd;           /* -1: not locked */
    const char *path; /* for messages */
};

/* Lock all folders, in an order that all runs share, waiting for others to end; on failure none.
 * Sorts the locks. MB_INTERRUPTED if a signal comes meanwhile. */
MB_MUST_CHECK enum mb_status pub_lock_all(struct pub_lock *locks, size_t count,
                                          struct mb_error *err);

void pub_unlock_all(struct pub_lock *locks, size_t count);

/* The file's name, and its removal where a killed run left it. */
#define PUB_LOCK_NAME ".methodbeat-lock"
void pub_lock_tidy(int folder);

#endif
