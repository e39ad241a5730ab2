#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* SEEK_DATA */
#endif

#include "process/copy.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_SIZE ((size_t)1 << 16)

static bool is_empty(const char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* The next data or hole at or after it, at most end. */
static uint64_t seek_next(int fd, int what, uint64_t at, uint64_t end)
{
    off_t found = lseek(fd, (off_t)at, what);
    uint64_t none = what == SEEK_DATA && errno != ENXIO ? at : end;
    uint64_t next = found >= 0 ? (uint64_t)found : none;

    return next < end ? next : end;
}

static enum mb_status copy_data(int from, int to, struct proc_copy_range range,
                                struct mb_error *err)
{
    char piece[PIECE_SIZE];

    while (range.from < range.end) {
        uint64_t left = range.end - range.from;
        ssize_t got =
            pread(from, piece, left < PIECE_SIZE ? (size_t)left : PIECE_SIZE, (off_t)range.from);
        if (got < 0) {
            return mb_fail_errno(err, "cannot read what is to be copied");
        }
        if (got == 0) {
            return MB_OK; /* it was cut short */
        }
        if (!is_empty(piece, (size_t)got) && !mb_file_put_at(to, piece, (size_t)got, range.to)) {
            return mb_fail_errno(err, "cannot write");
        }
        range.from += (uint64_t)got;
        range.to += (uint64_t)got;
    }
    return MB_OK;
}

enum mb_status proc_copy_range(int from, int to, const struct proc_copy_range *range,
                               struct mb_error *err)
{
    uint64_t end;

    for (uint64_t at = seek_next(from, SEEK_DATA, range->from, range->end); at < range->end;
         at = seek_next(from, SEEK_DATA, end, range->end)) {
        end = seek_next(from, SEEK_HOLE, at, range->end);
        const struct proc_copy_range data = {at, end, range->to + (at - range->from)};
        MB_TRY(copy_data(from, to, data, err));
    }
    return MB_OK;
}

enum mb_status proc_copy_open(int from, int to, struct mb_error *err)
{
    struct stat info;

    if (fstat(from, &info) != 0) {
        return mb_fail_errno(err, "cannot read what is to be copied");
    }
    const struct proc_copy_range whole = {.end = (uint64_t)info.st_size};
    MB_TRY(proc_copy_range(from, to, &whole, err));
    return ftruncate(to, info.st_size) == 0 ? MB_OK : mb_fail_errno(err, "cannot write");
}
