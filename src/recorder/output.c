#include "recorder/output.h"

#include "abi/tracefile.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_NAME '\0'

static bool begins_like_a_trace(int fd)
{
    char magic[sizeof(ABI_TRACE_MAGIC) - 1];
    ssize_t size = pread(fd, magic, sizeof(magic), 0);

    return size == 0 ||
           (size == (ssize_t)sizeof(magic) && memcmp(magic, ABI_TRACE_MAGIC, sizeof(magic)) == 0);
}

static enum mb_status check_old(const char *path, struct mb_error *err)
{
    struct stat info;

    if (lstat(path, &info) != 0) {
        return MB_OK; /* or creating fails, and says why */
    }
    if (S_ISLNK(info.st_mode)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "a symbolic link is in the way");
    }
    MB_TRY(mb_file_check_output(path, err));
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return mb_fail_errno(err, "cannot read the file that is in the way");
    }
    bool is_trace = begins_like_a_trace(fd);
    (void)close(fd);
    return is_trace ? MB_OK
                    : mb_fail(err, MB_IO, MB_NO_OFFSET, "a file that is no trace is in the way");
}

enum mb_status beat_output_create(struct beat_output *output, const char *path,
                                  struct mb_error *err)
{
    *output = (struct beat_output){.fd = -1};
    MB_TRY(check_old(path, err));
    int size = snprintf(output->temporary, sizeof(output->temporary), "%s.XXXXXX", path);
    if (size >= (int)sizeof(output->temporary)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the name is too long");
    }
    output->fd = mkostemp(output->temporary, O_CLOEXEC); /* O_EXCL, 0600 */
    if (output->fd < 0) {
        return mb_fail_errno(err, "cannot create the trace");
    }
    return MB_OK;
}

enum mb_status beat_output_set_size(int fd, uint64_t size, struct mb_error *err)
{
    struct rlimit limit;

    errno = EFBIG;
    if (size > INT64_MAX || (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) ||
        ftruncate(fd, (off_t)size) != 0) {
        return mb_fail_errno(err, "cannot size the trace");
    }
    return MB_OK;
}

enum mb_status beat_output_appear(struct beat_output *output, const char *path,
                                  struct mb_error *err)
{
    if (rename(output->temporary, path) != 0) {
        return mb_fail_errno(err, "cannot rename the trace");
    }
    output->temporary[0] = NO_NAME;
    return MB_OK;
}

void beat_output_discard(struct beat_output *output)
{
    if (output->fd >= 0) {
        (void)close(output->fd);
        output->fd = -1;
    }
    if (output->temporary[0] != NO_NAME) {
        (void)unlink(output->temporary);
        output->temporary[0] = NO_NAME;
    }
}
