/* Staging folders: .methodbeat-XXXXXX in a folder of outputs holds what is not in place yet, what
 * it replaced, and the journal. A lock on it, which ends with the process, tells that its run
 * lives. */

#ifndef PUBLISH_STAGING_H
#define PUBLISH_STAGING_H

#include "base/error.h"

#include <stdbool.h>

/* Zeroed or closed: none. */
struct pub_staging {
    int folder; /* of the outputs, open */
    int fd;     /* the staging folder, open */
    char *path; /* its own, absolute; NULL: none */
};

/* A new one, locked where the file system has locks, with an idle journal. folder is absolute and
 * exists. Fails without leaving anything, and without naming a path. */
MB_MUST_CHECK enum mb_status pub_staging_create(struct pub_staging *staging, const char *folder,
                                                struct mb_error *err);

/* Whether a file of this name in a folder of outputs can be a staging folder. */
bool pub_staging_is_name(const char *name);

/* The staging folder name in folder if its run is dead: a folder of this user's that nobody has
 * locked, on a file system with locks. False if not. While it is open nobody takes it for a new
 * one. */
bool pub_staging_open_dead(struct pub_staging *staging, const char *folder, const char *name);

/* Remove what runs put into it and, if that was all, itself. False if the journal had to stay. */
bool pub_staging_remove(const struct pub_staging *staging);

/* Close it, leaving all as it is. */
void pub_staging_close(struct pub_staging *staging);

/* Remove the files below this number, what they replaced, and the folder. Only system calls: for
 * handlers of signals, and where memory is short. False if the journal stays. */
bool pub_staging_abandon(const struct pub_staging *staging, unsigned end_number);

#endif
