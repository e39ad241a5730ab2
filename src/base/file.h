/* Whole files into memory, and files that stay open. Outputs are the business of publish/. */

#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/platform.h"

#include <sys/stat.h>

/* No text that is piped to us is as long. */
#define MB_STREAM_LIMIT ((size_t)1 << 30)

/* Append the file's bytes to buf; a pipe or device is read to its end, which must come within
 * MB_STREAM_LIMIT bytes. Fails with MB_IO naming the path; a folder is an error. MB_INTERRUPTED if
 * a signal comes while a pipe is silent. */
MB_MUST_CHECK enum mb_status mb_file_read(struct mb_buf *buf, const char *path,
                                          struct mb_error *err);

/* No method map is longer. */
#define MB_NAMED_LIMIT ((size_t)256 << 20)

/* Append the bytes of a file that another user may have named: a regular one of `most` bytes at
 * most, of which nothing is waited for, nor read for more than ten seconds; where we are root, one
 * that the owner of the file at `by` may read, too. by: NULL: ours. MB_IO that names the path. */
MB_MUST_CHECK enum mb_status mb_file_read_named(struct mb_buf *buf, const char *path, size_t most,
                                                const char *by, struct mb_error *err);

/* mb_file_read into an empty buffer, of a file that may be mostly holes, such as a trace: they cost
 * neither time nor memory. What another process writes meanwhile is read or zeroes. */
MB_MUST_CHECK enum mb_status mb_file_read_sparse(struct mb_buf *buf, const char *path,
                                                 struct mb_error *err);

/* Read the first bytes of a regular file, size at most. Returns their number, 0 if it is not a
 * regular file, or a negative number with errno set. */
ptrdiff_t mb_file_read_start(const char *path, char *bytes, size_t size);

/* The same as a terminated text of size - 1 bytes at most, "" after a failure. False if it is
 * empty: for files of the system, such as those of /proc. */
bool mb_file_read_text(const char *path, char *text, size_t size);

/* mb_file_read for a file that is open; names no path. fd is borrowed. */
MB_MUST_CHECK enum mb_status mb_file_read_open(struct mb_buf *buf, int fd, struct mb_error *err);

/* MB_IO if path is there and not a regular file: a rename to it, or an unlink, would do away with a
 * device, pipe or socket. */
MB_MUST_CHECK enum mb_status mb_file_check_output(const char *path, struct mb_error *err);

/* mb_file_put. fd is borrowed. */
MB_MUST_CHECK enum mb_status mb_file_write_all(int fd, const void *bytes, size_t size,
                                               struct mb_error *err);

/* One file by two names. */
static inline bool mb_is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* For code that keeps a descriptor inside another program: if that program closes all descriptors
 * it does not know, the number may come to mean another file. */
struct mb_file_id mb_file_identify(int fd);

/* True if fd still means that file. */
bool mb_file_is(int fd, const struct mb_file_id *id);

/* close(2), if it is. */
void mb_file_close(int fd, const struct mb_file_id *id);

/* Canonical file names, so that two names of one place compare equal. */

/* The canonical absolute name of a file, which need not exist, nor the folders above it: without
 * "." and "..", and without links to folders; a link as last component stays. Owned by the arena.
 * On failure the error names the path. */
MB_MUST_CHECK enum mb_status mb_path_resolve(const char *path, struct mb_arena *arena,
                                             const char **resolved, struct mb_error *err);

#endif
