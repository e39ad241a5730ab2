#include "publish/lock.h"

#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Short beside a commit. Waiting in flock(2) would miss a signal that came just before. */
static void nap(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};

    (void)nanosleep(&pause, NULL);
}

/* Whoever had the lock before may have removed the file that we have locked now. */
static bool is_current(int folder, int fd)
{
    struct stat ours;
    struct stat named;

    return fstat(fd, &ours) == 0 &&
           fstatat(folder, PUB_LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

enum outcome { LOCKED, TAKEN, NO_LOCKS };

static enum outcome lock_file(int folder, int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return is_current(folder, fd) ? LOCKED : TAKEN;
    }
    return errno == EWOULDBLOCK || errno == EINTR ? TAKEN : NO_LOCKS;
}

static enum mb_status try_lock(struct pub_lock *lock, enum outcome *outcome, struct mb_error *err)
{
    int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC; /* NFS locks only what can be written */

    lock->fd = openat(lock->folder, PUB_LOCK_NAME, flags, 0666);
    if (lock->fd < 0) {
        *outcome = NO_LOCKS;
        return errno == EACCES || errno == EPERM /* another user's, left behind */
                   ? MB_OK
                   : mb_fail_errno(err, "cannot lock the folder");
    }
    *outcome = lock_file(lock->folder, lock->fd);
    if (*outcome == NO_LOCKS) {
        (void)unlinkat(lock->folder, PUB_LOCK_NAME, 0);
    }
    if (*outcome != LOCKED) {
        (void)close(lock->fd);
        lock->fd = -1;
    }
    return MB_OK;
}

static enum mb_status lock_folder(struct pub_lock *lock, struct mb_error *err)
{
    enum outcome outcome;

    for (;;) {
        MB_TRY(mb_check_interrupt(err));
        MB_TRY(try_lock(lock, &outcome, err));
        if (outcome != TAKEN) {
            return MB_OK;
        }
        nap();
    }
}

static int compare(const void *left, const void *right)
{
    struct stat a = {0};
    struct stat b = {0};

    (void)fstat(((const struct pub_lock *)left)->folder, &a);
    (void)fstat(((const struct pub_lock *)right)->folder, &b);
    if (a.st_dev != b.st_dev) {
        return a.st_dev < b.st_dev ? -1 : 1;
    }
    return (a.st_ino > b.st_ino) - (a.st_ino < b.st_ino);
}

enum mb_status pub_lock_all(struct pub_lock *locks, size_t count, struct mb_error *err)
{
    enum mb_status status = MB_OK;
    size_t locked = 0;

    if (count > 1) {
        qsort(locks, count, sizeof(*locks), compare);
    }
    while (locked < count && status == MB_OK) {
        status = lock_folder(&locks[locked], err);
        locked += status == MB_OK;
    }
    if (status != MB_OK) {
        mb_error_in_input(err, locks[locked].path);
        pub_unlock_all(locks, locked);
    }
    return status;
}

void pub_unlock_all(struct pub_lock *locks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (locks[i].fd >= 0) {
            (void)unlinkat(locks[i].folder, PUB_LOCK_NAME, 0);
            (void)close(locks[i].fd);
            locks[i].fd = -1;
        }
    }
}

void pub_lock_tidy(int folder)
{
    struct stat info;
    int fd = openat(folder, PUB_LOCK_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        return;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0 &&
        lock_file(folder, fd) == LOCKED) {
        (void)unlinkat(folder, PUB_LOCK_NAME, 0);
    }
    (void)close(fd);
}
