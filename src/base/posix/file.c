#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* SEEK_DATA */
#endif

#include "base/platform.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/platform_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#if defined(__APPLE__)
#define st_mtim st_mtimespec
#endif

static int handle_of(const struct mb_folder *folder)
{
    return folder != NULL ? (int)folder->handle : AT_FDCWD;
}

/* --- what is known of a file --- */

static enum mb_file_type type_of(mode_t mode)
{
    if (S_ISREG(mode)) {
        return MB_FILE_REGULAR;
    }
    if (S_ISDIR(mode)) {
        return MB_FILE_FOLDER;
    }
    return S_ISLNK(mode) ? MB_FILE_LINK : MB_FILE_OTHER;
}

/* Not in line: programs that are traced carry it. */
static MB_NOINLINE void take_info(struct mb_file_info *info, const struct stat *found)
{
    *info = (struct mb_file_info){
        .type = type_of(found->st_mode),
        .id = {(uint64_t)found->st_dev, (uint64_t)found->st_ino},
        .size = (uint64_t)found->st_size,
        .changed_ns = found->st_mtim.tv_sec * MB_NS_PER_S + found->st_mtim.tv_nsec,
        .can_run = (found->st_mode & S_IXUSR) != 0,
        .is_removed = found->st_nlink == 0,
    };
}

static bool look(const struct mb_folder *folder, const char *name, struct mb_file_info *info,
                 int flags)
{
    struct stat found;

    if (folder != NULL && name[0] == '\0') {
        return mb_file_look_open((int)folder->handle, info);
    }
    if (fstatat(handle_of(folder), name, &found, flags) != 0) {
        return false;
    }
    take_info(info, &found);
    return true;
}

bool mb_file_look(const struct mb_folder *folder, const char *name, struct mb_file_info *info)
{
    return look(folder, name, info, 0);
}

bool mb_file_look_at_link(const struct mb_folder *folder, const char *name,
                          struct mb_file_info *info)
{
    return look(folder, name, info, AT_SYMLINK_NOFOLLOW);
}

bool mb_file_look_open(int fd, struct mb_file_info *info)
{
    struct stat found;

    if (fstat(fd, &found) != 0) {
        return false;
    }
    take_info(info, &found);
    return true;
}

/* --- files --- */

int mb_file_open(const struct mb_folder *folder, const char *name, enum mb_file_use use)
{
    static const int flags[] = {
        [MB_FILE_READ] = O_RDONLY | O_NONBLOCK,
        [MB_FILE_READ_WAIT] = O_RDONLY,
        [MB_FILE_READ_NAME] = O_RDONLY | O_NONBLOCK | O_NOFOLLOW,
        [MB_FILE_NEW] = O_RDWR | O_CREAT | O_EXCL,
        [MB_FILE_EMPTY] = O_WRONLY | O_CREAT | O_TRUNC,
        [MB_FILE_APPEND] = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
        [MB_FILE_UPDATE] = O_RDWR | O_CREAT | O_NOFOLLOW,
    };

    return openat(handle_of(folder), name, flags[use] | O_CLOEXEC, 0666);
}

int mb_file_open_temporary(void)
{
    FILE *file = tmpfile();
    int fd = file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;

    if (file != NULL) {
        int reason = errno;
        (void)fclose(file);
        errno = reason;
    }
    return fd;
}

ptrdiff_t mb_file_get(int fd, void *bytes, size_t size)
{
    ssize_t got;

    do {
        got = read(fd, bytes, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

ptrdiff_t mb_file_get_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    ssize_t got;

    do {
        got = pread(fd, bytes, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    return got;
}

bool mb_file_put(int fd, const void *bytes, size_t size)
{
    const char *next = bytes;

    while (size > 0) {
        ssize_t put = write(fd, next, size);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        next += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

bool mb_file_put_at(int fd, const void *bytes, size_t size, uint64_t offset)
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

bool mb_file_seek(int fd, uint64_t offset)
{
    return lseek(fd, (off_t)offset, SEEK_SET) >= 0;
}

bool mb_file_cut(int fd, uint64_t size)
{
    return ftruncate(fd, (off_t)size) == 0;
}

bool mb_file_sync(int fd)
{
    return fsync(fd) == 0;
}

int mb_file_await(int fd, int ms)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    int ready = poll(&wanted, 1, ms);

    return ready < 0 && errno == EINTR ? 0 : ready;
}

/* FUSE asks its server, which has not seen what a mapping holds and has not flushed yet. */
bool mb_file_tells_holes(int fd)
{
#if defined(__linux__)
    struct statfs place;

    return fstatfs(fd, &place) == 0 && place.f_type != FUSE_SUPER_MAGIC &&
           lseek(fd, 0, SEEK_HOLE) >= 0;
#else
    (void)fd;
    return false;
#endif
}

bool mb_file_find_data(int fd, uint64_t *start, uint64_t *end)
{
    off_t data = lseek(fd, (off_t)*start, SEEK_DATA);
    off_t hole = data >= 0 ? lseek(fd, data, SEEK_HOLE) : -1;

    if (hole < 0) {
        return false;
    }
    *start = (uint64_t)data;
    *end = (uint64_t)hole;
    return true;
}

bool mb_file_lock(int fd)
{
    return flock(fd, LOCK_EX) == 0;
}

void mb_file_take_mode(int fd, const char *path)
{
    struct stat info;

    if (stat(path, &info) == 0) {
        (void)fchmod(fd, info.st_mode & 07777);
    }
}

bool mb_file_is_for_owner(int fd, const char *path)
{
    struct stat info;
    struct stat of;

    return geteuid() != 0 || stat(path, &of) != 0 || of.st_uid == 0 ||
           (fstat(fd, &info) == 0 && (info.st_uid == of.st_uid || (info.st_mode & S_IROTH) != 0));
}

void mb_file_let_run(int fd)
{
    struct stat info;

    if (fstat(fd, &info) == 0) {
        (void)fchmod(fd, info.st_mode | (info.st_mode & 0444) >> 2);
    }
}
