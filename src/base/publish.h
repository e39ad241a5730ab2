/* Outputs that appear all together or not at all. Each is written to a staging folder beside its
 * place and renamed at the end; on failure, on a signal, even on kill -9, what was there before
 * stays and the staging folders go; killed in the middle of the renaming, the janitor ends it. */

#ifndef BASE_PUBLISH_H
#define BASE_PUBLISH_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct mb_publish;

/* Also starts the janitor: a child process that holds none of our files and removes the staging
 * folders if we vanish. So call it before threads are started. NULL when out of memory. */
struct mb_publish *mb_publish_create(void);

/* Removes everything that was not committed. */
void mb_publish_destroy(struct mb_publish *publish);

/* A new empty file that becomes path on commit; folders on the way are made (and removed again if
 * nothing is committed). The caller writes to *fd and closes it, checking the result of close.
 * Fails if path is there and no regular file: a rename would do away with it. Any thread. */
MB_MUST_CHECK enum mb_status mb_publish_open(struct mb_publish *publish, const char *path, int *fd,
                                             struct mb_error *err);

/* The same for bytes that are at hand. */
MB_MUST_CHECK enum mb_status mb_publish_write(struct mb_publish *publish, const char *path,
                                              const void *bytes, size_t size, struct mb_error *err);

/* The same, unless path already holds exactly these bytes: then nothing is done and *is_same set.
 */
MB_MUST_CHECK enum mb_status mb_publish_update(struct mb_publish *publish, const char *path,
                                               const void *bytes, size_t size, bool *is_same,
                                               struct mb_error *err);

/* Remove the file at path on commit. */
MB_MUST_CHECK enum mb_status mb_publish_remove(struct mb_publish *publish, const char *path,
                                               struct mb_error *err);

/* Rename all, then remove what is to be removed. Nothing can be added after that. */
MB_MUST_CHECK enum mb_status mb_publish_commit(struct mb_publish *publish, struct mb_error *err);

/* SIGINT, SIGTERM and SIGHUP only set the flag from now on. */
void mb_interrupt_catch(void);
bool mb_is_interrupted(void);

#endif
