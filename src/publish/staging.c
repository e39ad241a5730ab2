#include "publish/staging.h"

#include "publish/journal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".methodbeat-"
#define PREFIX_SIZE (sizeof(PREFIX) - 1)
#define RANDOM_SIZE 6
#define OLD_SUFFIX ".old"
#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

bool pub_staging_is_name(const char *name)
{
    if (strncmp(name, PREFIX, PREFIX_SIZE) != 0 || strlen(name) != PREFIX_SIZE + RANDOM_SIZE) {
        return false;
    }
    for (const char *next = name + PREFIX_SIZE; *next != '\0'; next++) {
        if (!isalnum((unsigned char)*next)) {
            return false;
        }
    }
    return true;
}

/* folder/name. Caller frees; NULL without memory. */
static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);

    if (path != NULL) {
        (void)snprintf(path, size, "%s/%s", folder, name);
    }
    return path;
}

static bool open_both(struct pub_staging *staging, const char *folder, const char *name)
{
    staging->folder = open(folder, OPEN_FOLDER);
    staging->fd = -1;
    if (staging->folder >= 0) {
        staging->fd = openat(staging->folder, name, OPEN_FOLDER | O_NOFOLLOW);
    }
    return staging->fd >= 0;
}

void pub_staging_close(struct pub_staging *staging)
{
    if (staging->path == NULL) {
        return;
    }
    if (staging->fd >= 0) {
        (void)close(staging->fd);
    }
    if (staging->folder >= 0) {
        (void)close(staging->folder);
    }
    free(staging->path);
    *staging = (struct pub_staging){0};
}

static const char *own_name(const struct pub_staging *staging)
{
    return strrchr(staging->path, '/') + 1;
}

/* --- creating --- */

enum outcome { LOCKED, TAKEN, FAILED };

/* Somebody who looks for dead runs may have found it before it was locked: then that one removes
 * it, and it has no links left. */
static enum outcome lock(const struct pub_staging *staging)
{
    struct stat info;

    if (flock(staging->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return TAKEN;
    }
    if (fstat(staging->fd, &info) != 0) {
        return FAILED;
    }
    return info.st_nlink > 0 ? LOCKED : TAKEN;
}

static enum outcome try_create(struct pub_staging *staging, const char *folder)
{
    staging->path = join(folder, PREFIX "XXXXXX");
    if (staging->path == NULL || mkdtemp(staging->path) == NULL) {
        return FAILED;
    }
    if (open_both(staging, folder, own_name(staging))) {
        return lock(staging);
    }
    return errno == ENOENT ? TAKEN : FAILED;
}

static void give_up(struct pub_staging *staging)
{
    int reason = errno;

    if (staging->path != NULL) {
        (void)rmdir(staging->path);
    }
    pub_staging_close(staging);
    errno = reason;
}

enum mb_status pub_staging_create(struct pub_staging *staging, const char *folder,
                                  struct mb_error *err)
{
    enum outcome outcome = TAKEN;

    for (int attempt = 0; outcome == TAKEN && attempt < 100; attempt++) {
        *staging = (struct pub_staging){.folder = -1, .fd = -1};
        outcome = try_create(staging, folder);
        if (outcome != LOCKED) {
            give_up(staging);
        }
    }
    if (outcome != LOCKED) {
        return mb_fail_errno(err, "cannot make a staging folder");
    }
    enum mb_status status = pub_journal_clear(staging->fd, err);
    if (status != MB_OK) {
        (void)pub_staging_abandon(staging, 0);
        pub_staging_close(staging);
    }
    return status;
}

/* --- those of dead runs --- */

/* The lock is shared, so that several may ask at once. */
static bool is_dead(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && info.st_uid == geteuid() && info.st_nlink > 0 &&
           flock(fd, LOCK_SH | LOCK_NB) == 0;
}

bool pub_staging_open_dead(struct pub_staging *staging, const char *folder, const char *name)
{
    *staging = (struct pub_staging){.folder = -1, .fd = -1, .path = join(folder, name)};
    if (staging->path == NULL || !open_both(staging, folder, name) || !is_dead(staging->fd)) {
        pub_staging_close(staging);
        return false;
    }
    return true;
}

/* --- removing --- */

/* What pub_staged_name and keeping made. */
static bool is_staged_name(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    return digits > 0 && (name[digits] == '\0' || strcmp(name + digits, OLD_SUFFIX) == 0);
}

static bool remove_staged(int fd)
{
    int listed = openat(fd, ".", OPEN_FOLDER);
    DIR *stream = listed >= 0 ? fdopendir(listed) : NULL;
    const struct dirent *child;
    bool is_empty = true;

    if (stream == NULL) {
        if (listed >= 0) {
            (void)close(listed);
        }
        return false;
    }
    errno = 0;
    while ((child = readdir(stream)) != NULL) {
        is_empty &= !is_staged_name(child->d_name) || unlinkat(fd, child->d_name, 0) == 0;
        errno = 0;
    }
    is_empty &= errno == 0; /* else there may be more */
    (void)closedir(stream);
    return is_empty;
}

/* The journal goes last: it says whose folder it is. */
static bool remove_folder(const struct pub_staging *staging)
{
    bool is_gone = unlinkat(staging->fd, PUB_JOURNAL_NAME, 0) == 0 || errno == ENOENT;

    is_gone &= unlinkat(staging->fd, PUB_JOURNAL_DONE_NAME, 0) == 0 || errno == ENOENT;
    (void)unlinkat(staging->folder, own_name(staging), AT_REMOVEDIR);
    return is_gone;
}

bool pub_staging_remove(const struct pub_staging *staging)
{
    return staging->path == NULL || (remove_staged(staging->fd) && remove_folder(staging));
}

/* number and suffix by system calls alone. */
static void unlink_numbered(int fd, unsigned number, const char *suffix)
{
    char text[PUB_STAGED_NAME];
    char *name = text + sizeof(text) - strlen(suffix) - 1;

    memcpy(name, suffix, strlen(suffix) + 1);
    do {
        *--name = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    (void)unlinkat(fd, name, 0);
}

bool pub_staging_abandon(const struct pub_staging *staging, unsigned end_number)
{
    for (unsigned number = 0; number < end_number; number++) {
        unlink_numbered(staging->fd, number, "");
        unlink_numbered(staging->fd, number, OLD_SUFFIX);
    }
    return remove_folder(staging);
}
