#include "recorder/memory.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

enum mb_status beat_memory_create(struct beat_memory *memory, size_t size, struct mb_error *err)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);

    if (bytes == MAP_FAILED) {
        return mb_fail_errno(err, "cannot map the rings");
    }
    *memory = (struct beat_memory){.bytes = bytes, .size = size, .fd = -1};
    return MB_OK;
}

/* Blocks for part of a file. Where the file system cannot promise them, zeroes do as well. */
static int reserve_blocks(int fd, uint64_t offset, uint64_t size)
{
    static const uint8_t zeroes[16384];
    int error = posix_fallocate(fd, (off_t)offset, (off_t)size);

    if (error != EOPNOTSUPP && error != EINVAL) {
        return error;
    }
    for (uint64_t done = 0; done < size;) {
        size_t part = size - done < sizeof(zeroes) ? (size_t)(size - done) : sizeof(zeroes);
        ssize_t put = pwrite(fd, zeroes, part, (off_t)(offset + done));
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        done += put > 0 ? (uint64_t)put : 0;
    }
    return 0;
}

static enum mb_status fill_file(const struct beat_memory *memory, int fd, size_t reserved_size,
                                struct mb_error *err)
{
    if (ftruncate(fd, (off_t)memory->size) != 0) {
        return mb_fail_errno(err, "cannot size the trace");
    }
    errno = reserve_blocks(fd, 0, reserved_size);
    if (errno != 0) {
        return mb_fail_errno(err, "no room for the trace");
    }
    return mb_file_write_all(fd, memory->bytes, reserved_size, err);
}

enum mb_status beat_memory_move_to_file(struct beat_memory *memory, const char *path,
                                        size_t reserved_size, struct mb_error *err)
{
    MB_TRY(mb_file_check_output(path, err));
    if (unlink(path) != 0 && errno != ENOENT) {
        return mb_fail_errno(err, "cannot replace the old trace");
    }
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return mb_fail_errno(err, "cannot create the trace");
    }
    enum mb_status status = fill_file(memory, fd, reserved_size, err);
    if (status == MB_OK && mmap(memory->bytes, memory->size, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        status = mb_fail_errno(err, "cannot map the trace");
    }
    if (status != MB_OK) {
        (void)close(fd);
        (void)unlink(path);
        return status;
    }
    memory->fd = fd;
    return MB_OK;
}

bool beat_memory_reserve(const struct beat_memory *memory, uint64_t offset, uint64_t size)
{
    return memory->fd < 0 || reserve_blocks(memory->fd, offset, size) == 0;
}

void beat_memory_retire(struct beat_memory *memory)
{
    if (memory->bytes != NULL) {
        (void)mmap(memory->bytes, memory->size, PROT_READ | PROT_WRITE, ANONYMOUS | MAP_FIXED, -1,
                   0);
    }
    if (memory->fd >= 0) {
        (void)close(memory->fd);
        memory->fd = -1;
    }
}
