#include "monitor/spool/folder.h"

#include "base/file.h"
#include "monitor/spool/incident.h"
#include "recorder/name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME "lock"
#define PROCESS_SIZE 100u

/* ---- Owning ---- */

static enum mb_status name_folder(struct spool_folder *folder, const char *spool,
                                  const char *process, uint32_t owner, struct mb_error *err)
{
    char name[PROCESS_SIZE + 1];
    char number[16] = "";

    beat_name_as_file(name, sizeof(name), process);
    if (owner > 1) {
        (void)snprintf(number, sizeof(number), "-%u", owner);
    }
    int size = snprintf(folder->path, sizeof(folder->path), "%s/%s%s", spool, name, number);
    if (size < 0 || (size_t)size >= sizeof(folder->path) - SPOOL_DATE_SIZE - SPOOL_NAME_SIZE) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the path is too long");
    }
    folder->owner = owner;
    return MB_OK;
}

/* Make it and all folders above. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* opening it fails if this did */
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

static bool is_ours(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && status.st_uid == geteuid();
}

/* On failure, too, folder owns what was opened. */
static enum mb_status lock_folder(struct spool_folder *folder, bool *is_taken, struct mb_error *err)
{
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->fd < 0) {
        return mb_fail_errno(err, "cannot open");
    }
    folder->id = mb_file_identify(folder->fd);
    if (!is_ours(folder->fd)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "belongs to another user");
    }
    folder->lock =
        openat(folder->fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (folder->lock < 0) {
        return mb_fail_errno(err, "cannot write");
    }
    folder->lock_id = mb_file_identify(folder->lock);
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0) {
        *is_taken = errno == EWOULDBLOCK;
        return mb_fail_errno(err, "cannot lock");
    }
    return MB_OK;
}

static enum mb_status own_folder(struct spool_folder *folder, bool *is_taken, struct mb_error *err)
{
    enum mb_status status = lock_folder(folder, is_taken, err);

    if (status == MB_OK && spool_folder_is_gone(folder)) { /* by another process, before the lock */
        status = mb_fail(err, MB_IO, MB_NO_OFFSET, "was removed");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, folder->path);
        spool_folder_close(folder);
    }
    return status;
}

enum mb_status spool_folder_open(struct spool_folder *folder, const char *spool,
                                 const char *process, uint32_t owner, bool *is_taken,
                                 struct mb_error *err)
{
    *folder = SPOOL_FOLDER_CLOSED;
    *is_taken = false;
    MB_TRY(name_folder(folder, spool, process, owner, err));
    make_folders(folder->path);
    return own_folder(folder, is_taken, err);
}

bool spool_folder_take_over(struct spool_folder *folder, const char *spool, const char *process,
                            uint32_t owner)
{
    bool is_taken;

    *folder = SPOOL_FOLDER_CLOSED;
    return name_folder(folder, spool, process, owner, NULL) == MB_OK &&
           own_folder(folder, &is_taken, NULL) == MB_OK;
}

void spool_folder_close(struct spool_folder *folder)
{
    mb_file_close(folder->fd, &folder->id);
    mb_file_close(folder->lock, &folder->lock_id);
    folder->fd = -1;
    folder->lock = -1;
}

bool spool_folder_is_gone(const struct spool_folder *folder)
{
    struct stat ours;
    struct stat there;

    return fstat(folder->fd, &ours) != 0 || stat(folder->path, &there) != 0 ||
           !mb_is_same_file(&ours, &there) || fstat(folder->lock, &ours) != 0 ||
           fstatat(folder->fd, LOCK_NAME, &there, AT_SYMLINK_NOFOLLOW) != 0 ||
           !mb_is_same_file(&ours, &there);
}

bool spool_folder_is_elsewhere(const struct spool_folder *folder)
{
    struct stat ours;
    struct stat there;

    return mb_file_is(folder->fd, &folder->id) && fstat(folder->fd, &ours) == 0 &&
           ours.st_nlink > 0 && stat(folder->path, &there) != 0;
}
