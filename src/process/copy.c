#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* SEEK_DATA */
#endif

#include "process/copy.h"

#include "abi/tracefile.h"
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

static enum mb_status copy_data(int from, int to, uint64_t at, uint64_t end, struct mb_error *err)
{
    char piece[PIECE_SIZE];

    while (at < end) {
        size_t wanted = end - at < PIECE_SIZE ? (size_t)(end - at) : PIECE_SIZE;
        ssize_t got = pread(from, piece, wanted, (off_t)at);
        if (got < 0) {
            return mb_fail_errno(err, "cannot read what is to be copied");
        }
        if (got == 0) {
            return MB_OK; /* it was cut short */
        }
        if (!is_empty(piece, (size_t)got) && !mb_file_put_at(to, piece, (size_t)got, at)) {
            return mb_fail_errno(err, "cannot write");
        }
        at += (uint64_t)got;
    }
    return MB_OK;
}

enum mb_status proc_copy_open(int from, int to, struct mb_error *err)
{
    struct stat info;
    uint64_t end;

    if (fstat(from, &info) != 0) {
        return mb_fail_errno(err, "cannot read what is to be copied");
    }
    const uint64_t size = (uint64_t)info.st_size;
    for (uint64_t at = seek_next(from, SEEK_DATA, 0, size); at < size;
         at = seek_next(from, SEEK_DATA, end, size)) {
        end = seek_next(from, SEEK_HOLE, at, size);
        MB_TRY(copy_data(from, to, at, end, err));
    }
    return ftruncate(to, (off_t)size) == 0 ? MB_OK : mb_fail_errno(err, "cannot write");
}

enum mb_status proc_copy_trace(int from, int to, struct mb_error *err)
{
    char magic[sizeof(ABI_TRACE_MAGIC) - 1];
    ssize_t got = pread(from, magic, sizeof(magic), 0);

    return got > 0 && memcmp(magic, ABI_TRACE_MAGIC, (size_t)got) == 0
               ? proc_copy_open(from, to, err)
               : mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET, "what it recorded is another file");
}
