#ifndef _GNU_SOURCE
#define _GNU_SOURCE         /* getdents64 */
#define _LARGEFILE64_SOURCE /* for it in musl, which has another type for it */
#endif

#include "base/platform_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static int handle_of(const struct mb_folder *folder)
{
    return folder != NULL ? (int)folder->handle : AT_FDCWD;
}

static const char *own_name(const struct mb_folder *folder)
{
    const char *slash = strrchr(folder->path, '/');

    return slash != NULL ? slash + 1 : folder->path;
}

bool mb_folder_open(struct mb_folder *folder, const char *path)
{
    *folder = (struct mb_folder){path, open(path, OPEN_FOLDER), -1};
    return mb_folder_is_open(folder);
}

bool mb_folder_open_in(struct mb_folder *folder, const struct mb_folder *parent, const char *path)
{
    *folder = (struct mb_folder){path, -1, -1};
    folder->handle = openat(handle_of(parent), own_name(folder), OPEN_FOLDER | O_NOFOLLOW);
    return mb_folder_is_open(folder);
}

void mb_folder_close(struct mb_folder *folder)
{
    if (mb_folder_is_open(folder)) {
        (void)close((int)folder->handle);
    }
    *folder = MB_NO_FOLDER;
}

bool mb_folder_is_ours(const struct mb_folder *folder)
{
    struct stat info;

    return fstat((int)folder->handle, &info) == 0 && info.st_uid == geteuid();
}

/* --- what is in them --- */

/* A listing is the C library's stream. */
static DIR *stream_of(struct mb_listing *listing)
{
    return (DIR *)listing;
}

struct mb_listing *mb_listing_begin(const struct mb_folder *folder, const char *name)
{
    int fd = openat(handle_of(folder), name[0] != '\0' ? name : ".", OPEN_FOLDER);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

    if (stream == NULL && fd >= 0) {
        int reason = errno;
        (void)close(fd);
        errno = reason;
    }
    return (struct mb_listing *)stream;
}

static enum mb_file_type type_of(const struct dirent *entry)
{
    switch (entry->d_type) {
    case DT_REG:
        return MB_FILE_REGULAR;
    case DT_DIR:
        return MB_FILE_FOLDER;
    case DT_LNK:
        return MB_FILE_LINK;
    case DT_UNKNOWN:
        return MB_FILE_UNKNOWN;
    default:
        return MB_FILE_OTHER;
    }
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

bool mb_listing_next(struct mb_listing *listing, struct mb_entry *entry)
{
    const struct dirent *found;

    do {
        errno = 0;
        found = readdir(stream_of(listing));
    } while (found != NULL && is_dots(found->d_name));
    if (found != NULL) {
        *entry = (struct mb_entry){found->d_name, type_of(found)};
    }
    return found != NULL;
}

void mb_listing_end(struct mb_listing *listing)
{
    (void)closedir(stream_of(listing));
}

/* --- changes --- */

bool mb_folder_make(const struct mb_folder *folder, const char *name)
{
    return mkdirat(handle_of(folder), name, 0777) == 0;
}

bool mb_folder_make_new(char *path)
{
    return mkdtemp(path) != NULL;
}

bool mb_folder_remove(const struct mb_folder *folder, const char *name)
{
    return unlinkat(handle_of(folder), name, AT_REMOVEDIR) == 0;
}

bool mb_folder_remove_open(struct mb_folder *folder, const struct mb_folder *parent)
{
    return mb_folder_remove(parent, own_name(folder));
}

bool mb_file_remove(const struct mb_folder *folder, const char *name)
{
    return unlinkat(handle_of(folder), name, 0) == 0;
}

#if defined(__linux__)

/* readdir(3) takes memory and a descriptor. */
bool mb_folder_remove_some(const struct mb_folder *folder, bool (*is_chosen)(const char *name))
{
    _Alignas(struct dirent64) char entries[4096];
    const struct dirent64 *entry;
    ssize_t size;
    bool are_gone = true;

    while ((size = getdents64((int)folder->handle, (void *)entries, sizeof(entries))) > 0) {
        for (ssize_t at = 0; at < size; at += entry->d_reclen) {
            entry = (const void *)(entries + at);
            are_gone &= !is_chosen(entry->d_name) || mb_file_remove(folder, entry->d_name);
        }
    }
    return are_gone && size == 0; /* else there may be more */
}

#else

bool mb_folder_remove_some(const struct mb_folder *folder, bool (*is_chosen)(const char *name))
{
    return mb_folder_remove_listed(folder, is_chosen);
}

#endif

bool mb_file_rename(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                    const char *new_name)
{
    return renameat(handle_of(from), name, handle_of(to), new_name) == 0;
}

bool mb_file_link(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                  const char *new_name)
{
    return linkat(handle_of(from), name, handle_of(to), new_name, 0) == 0;
}

#if defined(__linux__)

/* Two mounts may show one device. Renaming a missing file fails with a clear error, and has no
 * effect; any other answer could mean either. */
bool mb_folder_can_rename(const struct mb_folder *from, const char *path, bool *can_rename)
{
    char target[4096];
    int size = snprintf(target, sizeof(target), "%s/.methodbeat-none", path);

    *can_rename = true;
    if (size >= (int)sizeof(target)) {
        return true;
    }
    bool is_renamed = mb_file_rename(from, "none", NULL, target);
    *can_rename = is_renamed || errno != EXDEV;
    return is_renamed || errno == EXDEV || errno == ENOENT;
}

#else

bool mb_folder_can_rename(const struct mb_folder *from, const char *path, bool *can_rename)
{
    return mb_folder_has_device_of(from, path, can_rename);
}

#endif

/* --- locks between processes --- */

enum mb_locked mb_folder_lock(struct mb_folder *folder, enum mb_lock lock)
{
    int how = lock == MB_LOCK_ALONE ? LOCK_EX : LOCK_SH;

    if (flock((int)folder->handle, how | LOCK_NB) == 0) {
        return MB_LOCKED;
    }
    return errno == EWOULDBLOCK || errno == EINTR ? MB_LOCK_TAKEN : MB_LOCK_UNKNOWN;
}

void mb_folder_unlock(struct mb_folder *folder)
{
    (void)flock((int)folder->handle, LOCK_UN);
}
