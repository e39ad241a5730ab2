#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* SEEK_DATA */
#endif

#include "base/file.h"

#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 * 1024)
#define PIECE_SIZE ((size_t)32 * 1024)
#define PAGE_SIZE ((size_t)4096)
#define POLL_MS 100 /* until a signal is seen that came between two looks */

/* A read from a pipe waits for a writer; a signal that arrives meanwhile, or arrived just before,
 * must interrupt it. */
static enum mb_status await_bytes(int fd, struct mb_error *err)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    int ready = 0;

    while (ready == 0) {
        MB_TRY(mb_check_interrupt(err));
        ready = poll(&wanted, 1, POLL_MS);
        if (ready < 0 && errno != EINTR) {
            return mb_fail_errno(err, "cannot wait for it");
        }
        ready = ready < 0 ? 0 : ready;
    }
    return MB_OK;
}

/* Some more bytes; *is_end at the end. */
static enum mb_status read_some(struct mb_buf *buf, int fd, size_t room, bool *is_end,
                                struct mb_error *err)
{
    if (!mb_buf_reserve(buf, room)) {
        return mb_fail_memory(err);
    }
    ssize_t got = read(fd, buf->bytes + buf->size, room);
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
        return mb_fail_errno(err, "cannot read");
    }
    buf->size += got > 0 ? (size_t)got : 0;
    *is_end = got == 0;
    return MB_OK;
}

static enum mb_status read_stream(struct mb_buf *buf, int fd, struct mb_error *err)
{
    size_t start = buf->size;

    for (bool is_end = false; !is_end;) {
        if (buf->size - start > MB_STREAM_LIMIT) {
            return mb_fail(err, MB_IO, MB_NO_OFFSET, "no regular file, and over %zu MiB long",
                           MB_STREAM_LIMIT >> 20);
        }
        MB_TRY(await_bytes(fd, err));
        MB_TRY(read_some(buf, fd, READ_SIZE, &is_end, err));
    }
    return MB_OK;
}

enum mb_status mb_file_read_open(struct mb_buf *buf, int fd, struct mb_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0) {
        return mb_fail_errno(err, "cannot stat");
    }
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        return read_stream(buf, fd, err);
    }
    size_t end = buf->size + (info.st_size > 0 ? (size_t)info.st_size + 1 : 0);
    for (bool is_end = false; !is_end;) {
        size_t expected = end > buf->size ? end - buf->size : 0;
        size_t room = expected > READ_SIZE ? expected : READ_SIZE;
        MB_TRY(read_some(buf, fd, room, &is_end, err));
    }
    return MB_OK;
}

/* O_NONBLOCK: a pipe is waited for where signals can be seen. */
static enum mb_status read_path(struct mb_buf *buf, const char *path,
                                enum mb_status (*reader)(struct mb_buf *, int, struct mb_error *),
                                struct mb_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum mb_status status = fd < 0 ? mb_fail_errno(err, "cannot open") : reader(buf, fd, err);

    if (fd >= 0) {
        (void)close(fd);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

enum mb_status mb_file_read(struct mb_buf *buf, const char *path, struct mb_error *err)
{
    return read_path(buf, path, mb_file_read_open, err);
}

/* FUSE asks its server, which has not seen what a mapping holds and nobody has flushed. */
static bool tells_holes(int fd, const struct stat *info)
{
    struct statfs place;

    return S_ISREG(info->st_mode) && info->st_size > 0 && fstatfs(fd, &place) == 0 &&
           place.f_type != FUSE_SUPER_MAGIC && lseek(fd, 0, SEEK_HOLE) >= 0;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Over zeroes: pages that would stay as they are take no memory. */
static void put_pages(uint8_t *to, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size; done += PAGE_SIZE) {
        size_t part = size - done < PAGE_SIZE ? size - done : PAGE_SIZE;
        if (!is_zero(bytes + done, part)) {
            memcpy(to + done, bytes + done, part);
        }
    }
}

/* From at up to end, or to where the file ends by now. */
static enum mb_status read_data(struct mb_buf *buf, int fd, size_t at, size_t end,
                                struct mb_error *err)
{
    uint8_t piece[PIECE_SIZE]; /* stays in the cache */

    while (at < end) {
        size_t wanted = end - at < sizeof(piece) ? end - at : sizeof(piece);
        ssize_t got = pread(fd, piece, wanted, (off_t)at);
        if (got == 0) {
            buf->size = at;
            return MB_OK;
        }
        if (got < 0 && errno != EINTR) {
            return mb_fail_errno(err, "cannot read");
        }
        put_pages(buf->bytes + at, piece, got > 0 ? (size_t)got : 0);
        at += got > 0 ? (size_t)got : 0;
    }
    return MB_OK;
}

/* The next data or hole at or after *at; ENXIO: the file has no more of it. */
static enum mb_status seek(const struct mb_buf *buf, int fd, int what, size_t *at,
                           struct mb_error *err)
{
    off_t found = lseek(fd, (off_t)*at, what);

    if (found < 0 && errno != ENXIO) {
        return mb_fail_errno(err, "cannot seek");
    }
    *at = found >= 0 && (size_t)found < buf->size ? (size_t)found : buf->size;
    return MB_OK;
}

static enum mb_status read_between_holes(struct mb_buf *buf, int fd, struct mb_error *err)
{
    size_t end = 0;

    while (end < buf->size) {
        size_t start = end;
        MB_TRY(seek(buf, fd, SEEK_DATA, &start, err));
        end = start;
        MB_TRY(seek(buf, fd, SEEK_HOLE, &end, err));
        MB_TRY(read_data(buf, fd, start, end, err));
    }
    return MB_OK;
}

/* What the file got meanwhile, at its end. */
static enum mb_status read_growth(struct mb_buf *buf, int fd, struct mb_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0 || (size_t)info.st_size <= buf->size) {
        return MB_OK;
    }
    return lseek(fd, (off_t)buf->size, SEEK_SET) < 0 ? mb_fail_errno(err, "cannot read")
                                                     : mb_file_read_open(buf, fd, err);
}

static enum mb_status read_sparse(struct mb_buf *buf, int fd, struct mb_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0 || !tells_holes(fd, &info)) {
        return mb_file_read_open(buf, fd, err);
    }
    if (!mb_buf_zero(buf, (size_t)info.st_size)) {
        return mb_fail_memory(err);
    }
    MB_TRY(read_between_holes(buf, fd, err));
    return read_growth(buf, fd, err);
}

enum mb_status mb_file_read_sparse(struct mb_buf *buf, const char *path, struct mb_error *err)
{
    return read_path(buf, path, read_sparse, err);
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

struct mb_file_id mb_file_identify(int fd)
{
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        return (struct mb_file_id){0};
    }
    return (struct mb_file_id){(uint64_t)info.st_dev, (uint64_t)info.st_ino};
}

bool mb_file_is(int fd, const struct mb_file_id *id)
{
    const struct mb_file_id found = mb_file_identify(fd);

    return found.number != 0 && found.number == id->number && found.device == id->device;
}

void mb_file_close(int fd, const struct mb_file_id *id)
{
    if (mb_file_is(fd, id)) {
        (void)close(fd);
    }
}
