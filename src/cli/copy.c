#include "cli/copy.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_SIZE ((size_t)1 << 16)

static bool is_regular(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_empty(const char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* read(2) until the piece is full or the file ends; -1 with errno. */
static ssize_t read_piece(int fd, char piece[PIECE_SIZE])
{
    size_t size = 0;

    while (size < PIECE_SIZE) {
        ssize_t got = read(fd, piece + size, PIECE_SIZE - size);
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        size += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)size;
}

static enum mb_status put_piece(int out, const char *bytes, size_t size, bool has_holes,
                                struct mb_error *err)
{
    if (!has_holes || !is_empty(bytes, size)) {
        return mb_file_write_all(out, bytes, size, err);
    }
    return lseek(out, (off_t)size, SEEK_CUR) >= 0 ? MB_OK : mb_fail_errno(err, "cannot write");
}

enum mb_status cli_copy_open(int from, int to, struct mb_error *err)
{
    char piece[PIECE_SIZE];
    bool has_holes = is_regular(to);
    ssize_t size;
    off_t whole = 0;

    while ((size = read_piece(from, piece)) > 0) {
        MB_TRY(put_piece(to, piece, (size_t)size, has_holes, err));
        whole += size;
    }
    if (size < 0) {
        return mb_fail_errno(err, "cannot read what is to be copied");
    }
    return !has_holes || ftruncate(to, whole) == 0 ? MB_OK : mb_fail_errno(err, "cannot write");
}

enum mb_status cli_copy_to(int from, const char *to, mode_t mode, struct mb_error *err)
{
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    bool is_file = out >= 0 && is_regular(out);
    enum mb_status status =
        out >= 0 ? cli_copy_open(from, out, err) : mb_fail_errno(err, "cannot write");

    if (out >= 0 && close(out) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot write");
    }
    if (status != MB_OK) {
        (void)(is_file ? unlink(to) : 0);
        mb_error_in_input(err, to);
    }
    return status;
}

bool cli_copy_equals(int a, int b)
{
    char of_a[PIECE_SIZE];
    char of_b[PIECE_SIZE];
    ssize_t size;

    do {
        size = read_piece(a, of_a);
        if (size < 0 || size != read_piece(b, of_b) || memcmp(of_a, of_b, (size_t)size) != 0) {
            return false;
        }
    } while (size > 0);
    return true;
}
