/* Outputs that appear all together or not at all. Each is written to a staging folder beside its
 * place; the commit renames them. What fails until then, or in the middle, is taken back at once;
 * what kill -9 leaves, by the next run that publishes into one of the folders
 * (publish/recover.h). */

#ifndef PUBLISH_PUBLISH_H
#define PUBLISH_PUBLISH_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct pub_outputs;

/* One at a time in a process. NULL when out of memory. */
struct pub_outputs *pub_create(void);

/* Removes everything that was not committed. */
void pub_destroy(struct pub_outputs *publish);

/* Before anything is read that may be an output of an earlier run: outputs will go to folder ("" is
 * the working folder) or below it. If it is there, what a killed run left in it is put right. */
MB_MUST_CHECK enum mb_status pub_prepare(struct pub_outputs *publish, const char *folder,
                                         struct mb_error *err);

/* The same for the folder of an output. */
MB_MUST_CHECK enum mb_status pub_prepare_beside(struct pub_outputs *publish, const char *path,
                                                struct mb_error *err);

/* A new empty file that becomes path on commit; folders on the way are made (and removed again if
 * nothing is committed). The caller writes to *fd and closes it, checking the result of close.
 * Fails if path is there and no regular file: a rename would do away with it. A link is replaced
 * itself, and not what it points to. Any thread. */
MB_MUST_CHECK enum mb_status pub_open(struct pub_outputs *publish, const char *path, int *fd,
                                      struct mb_error *err);

/* The same for bytes that are at hand. */
MB_MUST_CHECK enum mb_status pub_write(struct pub_outputs *publish, const char *path,
                                       const void *bytes, size_t size, struct mb_error *err);

/* The same, unless path already holds exactly these bytes: then *is_same is set and path kept. */
MB_MUST_CHECK enum mb_status pub_update(struct pub_outputs *publish, const char *path,
                                        const void *bytes, size_t size, bool *is_same,
                                        struct mb_error *err);

/* The file at path, if there is one, may be an output of this run as it is: unless something is put
 * there, the commit fails if another run has changed it. NULL is passed over. Any thread. */
MB_MUST_CHECK enum mb_status pub_keep(struct pub_outputs *publish, const char *path,
                                      struct mb_error *err);

/* Remove the file at path on commit. Twice is as once. */
MB_MUST_CHECK enum mb_status pub_remove(struct pub_outputs *publish, const char *path,
                                        struct mb_error *err);

/* What stat(2) will say of path after the commit, once what was opened is closed. False: no file
 * will be there. */
bool pub_stat(struct pub_outputs *publish, const char *path, struct stat *info);

/* The commit calls add_last once no other run can change the folders that outputs go to: time for
 * removals that depend on what is there. */
void pub_on_commit(struct pub_outputs *publish,
                   enum mb_status (*add_last)(void *context, struct mb_error *err), void *context);

/* Let all appear, or nothing. Nothing can be added after that. */
MB_MUST_CHECK enum mb_status pub_commit(struct pub_outputs *publish, struct mb_error *err);

/* In a handler of a signal, before _exit, while no commit is under way: remove what was staged. */
void pub_abandon(void);

#endif
