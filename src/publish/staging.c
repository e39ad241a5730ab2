#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getdents64 */
#endif

#include "publish/commit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define PREFIX ".methodbeat-"
#define OTHER_CASE ".METHODBEAT-"
#define RANDOM "XXXXXX"
#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static struct pub_place *make_place(struct pub_commit *commit, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    struct pub_place *place = MB_NEW(&commit->arena, struct pub_place);
    char *path = mb_arena_alloc(&commit->arena, size);

    if (place == NULL || path == NULL) {
        return NULL;
    }
    (void)snprintf(path, size, "%s/%s", folder, name);
    *place = (struct pub_place){commit->places, path, -1, -1, PUB_FOREIGN, false};
    return place;
}

static const char *own_name(const struct pub_place *place)
{
    return strrchr(place->path, '/') + 1;
}

static bool open_both(struct pub_place *place, const char *folder)
{
    place->folder = open(folder, OPEN_FOLDER);
    if (place->folder >= 0) {
        place->staging = openat(place->folder, own_name(place), OPEN_FOLDER | O_NOFOLLOW);
    }
    return place->staging >= 0;
}

void pub_staging_close(struct pub_place *place)
{
    if (place->staging >= 0) {
        (void)close(place->staging);
    }
    if (place->folder >= 0) {
        (void)close(place->folder);
    }
    place->folder = -1;
    place->staging = -1;
}

/* --- creating --- */

enum outcome { LOCKED, TAKEN, FAILED };

/* Whether the staging folder has another name, too. */
static bool ignores_case(const struct pub_place *place)
{
    char name[] = OTHER_CASE RANDOM;
    struct stat own;
    struct stat other;

    memcpy(name + strlen(PREFIX), own_name(place) + strlen(PREFIX), strlen(RANDOM));
    return fstat(place->staging, &own) == 0 &&
           fstatat(place->folder, name, &other, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* Another run that looks for dead runs may have found the folder before it was locked: then it
 * removes the folder, which has no links left. */
static enum outcome lock_folder(int staging)
{
    struct stat info;

    if (flock(staging, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return TAKEN;
    }
    if (fstat(staging, &info) != 0) {
        return FAILED;
    }
    return info.st_nlink > 0 ? LOCKED : TAKEN;
}

static enum outcome try_create(struct pub_place *place, const char *folder)
{
    enum outcome outcome = FAILED;

    if (mkdtemp(place->path) == NULL) {
        return FAILED;
    }
    if (open_both(place, folder)) {
        outcome = lock_folder(place->staging);
        place->ignores_case = outcome == LOCKED && ignores_case(place);
    } else if (errno == ENOENT) {
        outcome = TAKEN;
    }
    if (outcome != LOCKED) {
        int reason = errno;
        (void)rmdir(place->path);
        pub_staging_close(place);
        errno = reason;
    }
    return outcome;
}

enum mb_status pub_staging_create(struct pub_commit *commit, const char *folder,
                                  struct mb_error *err)
{
    struct pub_place *place = make_place(commit, folder, PREFIX RANDOM);
    enum outcome outcome = TAKEN;

    if (place == NULL) {
        return mb_fail_memory(err);
    }
    for (int attempt = 0; outcome == TAKEN && attempt < 100; attempt++) {
        memcpy(strrchr(place->path, '-') + 1, RANDOM, sizeof(RANDOM));
        outcome = try_create(place, folder);
    }
    if (outcome != LOCKED) {
        return mb_fail_errno(err, "cannot make a staging folder");
    }
    enum mb_status status = pub_journal_create(place, err);
    if (status == MB_OK) {
        commit->places = place;
    } else {
        (void)pub_staging_remove(place);
        pub_staging_close(place);
    }
    return status;
}

/* --- staging folders of dead runs --- */

static bool is_own_name(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && strlen(name) == strlen(PREFIX RANDOM);
}

/* The lock is shared, so that several may ask at once. */
static bool is_dead(int staging)
{
    struct stat info;

    return fstat(staging, &info) == 0 && info.st_uid == geteuid() && info.st_nlink > 0 &&
           flock(staging, LOCK_SH | LOCK_NB) == 0;
}

/* What was removed meanwhile, a link or a file, and what another user made, is not to be recovered.
 */
static bool tells_other(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EACCES;
}

enum mb_status pub_staging_open_dead(struct pub_commit *commit, const char *folder,
                                     const char *name, struct mb_error *err)
{
    if (!is_own_name(name)) {
        return MB_OK;
    }
    struct pub_place *place = make_place(commit, folder, name);
    enum mb_status status = MB_OK;

    if (place == NULL) {
        return mb_fail_memory(err);
    }
    if (!open_both(place, folder)) {
        status = tells_other(errno) ? MB_OK : mb_fail_errno(err, "cannot open the staging folder");
    } else if (is_dead(place->staging)) {
        commit->places = place;
        return MB_OK;
    }
    if (status != MB_OK) {
        mb_error_in_input(err, place->path);
    }
    pub_staging_close(place);
    return status;
}

/* --- removing --- */

static bool is_staged_name(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    return digits > 0 && (name[digits] == '\0' || strcmp(name + digits, ".old") == 0);
}

/* readdir(3) takes memory and a descriptor. */
static bool remove_staged(int staging)
{
    _Alignas(struct dirent64) char entries[4096];
    const struct dirent64 *entry;
    ssize_t size;
    bool is_empty = true;

    while ((size = getdents64(staging, entries, sizeof(entries))) > 0) {
        for (ssize_t at = 0; at < size; at += entry->d_reclen) {
            entry = (const void *)(entries + at);
            is_empty &= !is_staged_name(entry->d_name) || unlinkat(staging, entry->d_name, 0) == 0;
        }
    }
    return is_empty && size == 0; /* else there may be more */
}

/* The journal goes last: it identifies the folder's owner. */
bool pub_staging_remove(const struct pub_place *place)
{
    if (place->state != PUB_FOREIGN &&
        !(remove_staged(place->staging) && pub_journal_remove(place))) {
        return false;
    }
    (void)unlinkat(place->folder, own_name(place), AT_REMOVEDIR);
    return true;
}
