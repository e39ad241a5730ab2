/* Outputs that appear all together or not at all. Each is written to a staging folder beside its
 * place; the commit renames them. A failed run undoes its renames at once; the next run that
 * publishes into one of the folders undoes those of a killed one (publish/commit.c). */

#ifndef PUBLISH_PUBLISH_H
#define PUBLISH_PUBLISH_H

#include "base/error.h"
#include "base/platform.h"

#include <stdbool.h>
#include <stddef.h>

struct pub_outputs;

/* One at a time in a process. NULL when out of memory. */
struct pub_outputs *pub_create(void);

/* Removes everything that was not committed. */
void pub_destroy(struct pub_outputs *publish);

/* Call it before reading any output of an earlier run: outputs will go to folder ("" is the working
 * folder) or below it. If the folder exists, the outputs of a killed run in it are put right. */
MB_MUST_CHECK enum mb_status pub_prepare(struct pub_outputs *publish, const char *folder,
                                         struct mb_error *err);

/* The same for the folder of an output. */
MB_MUST_CHECK enum mb_status pub_prepare_beside(struct pub_outputs *publish, const char *path,
                                                struct mb_error *err);

/* Create an empty file that becomes path on commit, and missing folders above it (removed again
 * without a commit). The caller writes to *fd and closes it, checking the result of close. Fails if
 * path exists and is not a regular file: a rename would replace it. A link is replaced itself, not
 * its target. Any thread. */
MB_MUST_CHECK enum mb_status pub_open(struct pub_outputs *publish, const char *path, int *fd,
                                      struct mb_error *err);

/* The same for bytes that are at hand. */
MB_MUST_CHECK enum mb_status pub_write(struct pub_outputs *publish, const char *path,
                                       const void *bytes, size_t size, struct mb_error *err);

/* The same, unless path already holds exactly these bytes: then *is_same is set and path kept. */
MB_MUST_CHECK enum mb_status pub_update(struct pub_outputs *publish, const char *path,
                                        const void *bytes, size_t size, bool *is_same,
                                        struct mb_error *err);

/* Accept the file at path, if it exists, as an output of this run: unless a new file is put there,
 * the commit fails if another run has changed it. NULL is ignored. Any thread. */
MB_MUST_CHECK enum mb_status pub_keep(struct pub_outputs *publish, const char *path,
                                      struct mb_error *err);

/* Remove the file at path on commit. Twice is as once. */
MB_MUST_CHECK enum mb_status pub_remove(struct pub_outputs *publish, const char *path,
                                        struct mb_error *err);

/* What mb_file_look will find at path after the commit, once the opened files are closed. False:
 * the file will not exist. */
bool pub_look(struct pub_outputs *publish, const char *path, struct mb_file_info *info);

/* The commit calls add_last once no other run can change the folders of outputs: time for removals
 * that depend on their contents. */
void pub_on_commit(struct pub_outputs *publish,
                   enum mb_status (*add_last)(void *context, struct mb_error *err), void *context);

/* Make all outputs appear, or none of them. No output can be added afterwards. */
MB_MUST_CHECK enum mb_status pub_commit(struct pub_outputs *publish, struct mb_error *err);

/* For signal handlers, before _exit, while no commit is under way: remove the staged files. */
void pub_abandon(void);

#endif
