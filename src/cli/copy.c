#include "cli/copy.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PIECE_SIZE ((size_t)1 << 16)

static bool is_empty(const char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static bool put_piece(int out, const char *bytes, size_t size)
{
    return is_empty(bytes, size) ? lseek(out, (off_t)size, SEEK_CUR) >= 0
                                 : write(out, bytes, size) == (ssize_t)size;
}

static bool copy_bytes(int in, int out)
{
    char bytes[PIECE_SIZE];
    ssize_t size;
    off_t whole = 0;

    while ((size = read(in, bytes, sizeof(bytes))) > 0) {
        if (!put_piece(out, bytes, (size_t)size)) {
            return false;
        }
        whole += size;
    }
    return size == 0 && ftruncate(out, whole) == 0;
}

enum mb_status cli_copy_file(const char *from, const char *to, mode_t mode, struct mb_error *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in >= 0 ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode) : -1;
    enum mb_status status =
        out >= 0 && copy_bytes(in, out) ? MB_OK : mb_fail_errno(err, "cannot copy");

    if (out >= 0 && close(out) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot copy");
    }
    if (in >= 0) {
        (void)close(in);
    }
    if (status != MB_OK) {
        (void)(out >= 0 ? unlink(to) : 0);
        mb_error_in_input(err, in >= 0 ? to : from);
    }
    return status;
}
