#include "recorder/output.h"

#include "abi/tracefile.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NO_NAME '\0'
#define LONGEST_WAIT_MS 100

bool beat_output_is_trace(int fd)
{
    char magic[sizeof(ABI_TRACE_MAGIC) - 1];
    ssize_t size = pread(fd, magic, sizeof(magic), 0);

    return size == 0 ||
           (size == (ssize_t)sizeof(magic) && memcmp(magic, ABI_TRACE_MAGIC, sizeof(magic)) == 0);
}

/* A mapping of a file keeps its lock, even after the descriptor is closed. */
uint32_t beat_output_writer(int fd)
{
    uint32_t words[2]; /* state, process_id */
    const off_t offset = offsetof(struct abi_trace_header, state);

    _Static_assert(offsetof(struct abi_trace_header, process_id) ==
                       offsetof(struct abi_trace_header, state) + sizeof(words[0]),
                   "the process follows the state");
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
        (void)flock(fd, LOCK_UN);
        return 0;
    }
    return errno == EWOULDBLOCK && pread(fd, words, sizeof(words), offset) == sizeof(words) &&
                   words[0] == ABI_TRACE_OPEN
               ? words[1]
               : 0;
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
    bool is_trace = beat_output_is_trace(fd);
    uint32_t writer = beat_output_writer(fd);
    (void)close(fd);
    if (writer != 0) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "process %u is recording to it", writer);
    }
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
    (void)flock(output->fd, LOCK_EX | LOCK_NB); /* cannot fail: no other process has the file */
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

/* Lock the folder of path against other processes that rename traces into it. They hold the lock
 * only briefly. -1 if the lock cannot be had. */
static int lock_folder(const char *path)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    char folder[BEAT_PATH_SIZE];
    const char *name = strrchr(path, '/');

    (void)snprintf(folder, sizeof(folder), "%.*s.", name != NULL ? (int)(name - path) + 1 : 0,
                   path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < LONGEST_WAIT_MS; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
            break;
        }
        (void)nanosleep(&pause, NULL);
    }
    return fd;
}

static enum mb_status take_place(const struct beat_output *output, const char *path,
                                 struct mb_error *err)
{
    MB_TRY(check_old(path, err));
    return rename(output->temporary, path) == 0 ? MB_OK
                                                : mb_fail_errno(err, "cannot rename the trace");
}

enum mb_status beat_output_appear(struct beat_output *output, const char *path,
                                  struct mb_error *err)
{
    int lock = lock_folder(path);
    enum mb_status status = take_place(output, path, err);

    if (lock >= 0) {
        (void)close(lock);
    }
    if (status == MB_OK) {
        output->temporary[0] = NO_NAME;
    }
    return status;
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
