#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 * 1024)

static enum mb_status read_all(struct mb_buf *buf, int fd, struct mb_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0) {
        return mb_fail_errno(err, "cannot stat");
    }
    size_t expected = S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size + 1 : 0;
    for (;;) {
        size_t room = expected > READ_SIZE ? expected : READ_SIZE;
        if (!mb_buf_reserve(buf, room)) {
            return mb_fail_memory(err);
        }
        ssize_t got = read(fd, buf->bytes + buf->size, room);
        if (got < 0 && errno != EINTR) {
            return mb_fail_errno(err, "cannot read");
        }
        if (got == 0) {
            return MB_OK;
        }
        buf->size += got > 0 ? (size_t)got : 0;
        expected = got > 0 && expected > (size_t)got ? expected - (size_t)got : 0;
    }
}

enum mb_status mb_file_read(struct mb_buf *buf, const char *path, struct mb_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum mb_status status = fd < 0 ? mb_fail_errno(err, "cannot open") : read_all(buf, fd, err);

    if (fd >= 0) {
        (void)close(fd);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

enum mb_status mb_file_check_output(const char *path, struct mb_error *err)
{
    struct stat info;

    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "%s is in the way",
                       S_ISDIR(info.st_mode) ? "a folder" : "a device, pipe or socket");
    }
    return MB_OK;
}

enum mb_status mb_file_write_all(int fd, const void *bytes, size_t size, struct mb_error *err)
{
    const char *next = bytes;

    while (size > 0) {
        ssize_t put = write(fd, next, size);
        if (put < 0 && errno != EINTR) {
            return mb_fail_errno(err, "cannot write");
        }
        if (put > 0) {
            next += put;
            size -= (size_t)put;
        }
    }
    return MB_OK;
}

bool mb_file_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    const char *next = bytes;

    while (size > 0) {
        ssize_t put = pwrite(fd, next, size, (off_t)offset);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        if (put > 0) {
            next += put;
            size -= (size_t)put;
            offset += (uint64_t)put;
        }
    }
    return true;
}
