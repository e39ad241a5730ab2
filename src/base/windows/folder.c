#ifndef _CRT_RAND_S
#define _CRT_RAND_S
#endif

#include "base/windows/windows.h"

#include <errno.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define LOCK_NAME ".methodbeat.lock"
#define WIDE_LOCK_NAME L".methodbeat.lock"
#define RANDOM_SIZE 6
#define MOST_NAMES 100 /* that are tried for a new folder */

/* Of headers that mingw has for newer systems alone. */
#define RENAME_INFO_EX ((FILE_INFO_BY_HANDLE_CLASS)22)
#define RENAME_FLAGS 0x43U /* replaces, as POSIX does, what may not be written, too */
#define DISPOSITION_INFO_EX ((FILE_INFO_BY_HANDLE_CLASS)21)
#define DISPOSITION_FLAGS 0x13U /* deletes, as POSIX does, what may not be written, too */

/* FILE_RENAME_INFO by which Windows 10 takes flags. */
struct rename_info {
    DWORD flags;
    HANDLE root;
    DWORD size; /* bytes of the name */
    wchar_t name[];
};

static HANDLE handle_of(intptr_t number)
{
    return (HANDLE)number;
}

/* --- open folders --- */

/* While it is open, no folder above it can be renamed. */
static bool open_folder(struct mb_folder *folder, const char *path, DWORD flags)
{
    wchar_t *wide = mb_widen_path(path);
    HANDLE handle = wide != NULL
                        ? CreateFileW(wide, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                                      FILE_FLAG_BACKUP_SEMANTICS | flags, NULL)
                        : INVALID_HANDLE_VALUE;
    struct mb_file_info info = {.type = MB_FILE_UNKNOWN};

    *folder = MB_NO_FOLDER;
    if (wide != NULL && handle == INVALID_HANDLE_VALUE) {
        (void)mb_fail_windows();
    }
    free(wide);
    if (handle == INVALID_HANDLE_VALUE) {
        return false;
    }
    if (!mb_look_at_handle(handle, &info) || info.type != MB_FILE_FOLDER) {
        errno = info.type == MB_FILE_LINK ? ELOOP : ENOTDIR;
        (void)CloseHandle(handle);
        return false;
    }
    *folder = (struct mb_folder){path, (intptr_t)handle, -1};
    return true;
}

bool mb_folder_open(struct mb_folder *folder, const char *path)
{
    return open_folder(folder, path, 0);
}

bool mb_folder_open_in(struct mb_folder *folder, const struct mb_folder *parent, const char *path)
{
    (void)parent; /* keeps its name while it is open */
    return open_folder(folder, path, FILE_FLAG_OPEN_REPARSE_POINT);
}

void mb_folder_close(struct mb_folder *folder)
{
    mb_folder_unlock(folder);
    if (mb_folder_is_open(folder)) {
        (void)CloseHandle(handle_of(folder->handle));
    }
    *folder = MB_NO_FOLDER;
}

/* Users are not compared here: who may write to a folder is left to the system. */
bool mb_folder_is_ours(const struct mb_folder *folder)
{
    return mb_folder_is_open(folder);
}

/* --- what is in them --- */

struct mb_listing {
    HANDLE search;
    bool has_first;
    WIN32_FIND_DATAW found;
    char *name;
};

struct mb_listing *mb_listing_begin(const struct mb_folder *folder, const char *name)
{
    static const char everything[] = "/*";
    size_t size = strlen(name);
    char *pattern = malloc(size + sizeof(everything) + 1);
    struct mb_listing *listing = calloc(1, sizeof(*listing));
    wchar_t *wide = NULL;

    if (pattern != NULL && listing != NULL) {
        (void)snprintf(pattern, size + sizeof(everything) + 1, "%s%s", size > 0 ? name : ".",
                       everything);
        wide = mb_widen_in(folder, pattern);
    }
    free(pattern);
    if (wide != NULL) {
        listing->search = FindFirstFileExW(wide, FindExInfoBasic, &listing->found,
                                           FindExSearchNameMatch, NULL, FIND_FIRST_EX_LARGE_FETCH);
        listing->has_first = true;
    }
    if (wide == NULL || listing->search == INVALID_HANDLE_VALUE) {
        (void)(wide != NULL && mb_fail_windows());
        free(listing);
        listing = NULL;
    }
    free(wide);
    return listing;
}

static bool is_left_out(const wchar_t *name)
{
    return wcscmp(name, L".") == 0 || wcscmp(name, L"..") == 0 || wcscmp(name, WIDE_LOCK_NAME) == 0;
}

static enum mb_file_type type_of(const WIN32_FIND_DATAW *found)
{
    if ((found->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
        return MB_FILE_UNKNOWN;
    }
    return (found->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? MB_FILE_FOLDER
                                                                     : MB_FILE_REGULAR;
}

bool mb_listing_next(struct mb_listing *listing, struct mb_entry *entry)
{
    do {
        if (!listing->has_first && !FindNextFileW(listing->search, &listing->found)) {
            (void)mb_fail_windows();
            errno = errno == ENOENT ? 0 : errno;
            return false;
        }
        listing->has_first = false;
    } while (is_left_out(listing->found.cFileName));
    free(listing->name);
    listing->name = mb_narrow(listing->found.cFileName);
    *entry = (struct mb_entry){listing->name, type_of(&listing->found)};
    return listing->name != NULL;
}

void mb_listing_end(struct mb_listing *listing)
{
    (void)FindClose(listing->search);
    free(listing->name);
    free(listing);
}

/* --- changes --- */

/* Do what takes a path, and try it again while others are in the way. */
static bool try_change(const struct mb_folder *folder, const char *name,
                       bool (*act)(const wchar_t *path))
{
    wchar_t *path = mb_widen_in(folder, name);
    unsigned tries = 0;
    bool is_done;

    if (path == NULL) {
        return false;
    }
    do {
        is_done = act(path);
    } while (!is_done && mb_wait_for_others(&tries));
    int reason = errno;
    free(path);
    errno = reason;
    return is_done;
}

static bool make_folder(const wchar_t *path)
{
    return CreateDirectoryW(path, NULL) || mb_fail_windows();
}

bool mb_folder_make(const struct mb_folder *folder, const char *name)
{
    wchar_t *path = mb_widen_in(folder, name);
    bool is_made = path != NULL && make_folder(path);

    free(path);
    return is_made;
}

/* Letters of one case: names that differ in case alone are one name here. */
static void draw_letters(char *letters)
{
    static const char some[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned drawn = 0;

    for (int i = 0; i < RANDOM_SIZE; i++) {
        (void)rand_s(&drawn);
        letters[i] = some[drawn % (sizeof(some) - 1)];
    }
}

bool mb_folder_make_new(char *path)
{
    char *letters = path + strlen(path) - RANDOM_SIZE;

    for (int i = 0; i < MOST_NAMES; i++) {
        draw_letters(letters);
        if (mb_folder_make(NULL, path)) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

static bool remove_folder(const wchar_t *path)
{
    return RemoveDirectoryW(path) || mb_fail_windows();
}

bool mb_folder_remove(const struct mb_folder *folder, const char *name)
{
    return try_change(folder, name, remove_folder);
}

bool mb_folder_remove_open(struct mb_folder *folder, const struct mb_folder *parent)
{
    const char *path = folder->path;

    (void)parent;
    mb_folder_close(folder);
    return try_change(NULL, path, remove_folder);
}

/* As POSIX does, where the system can: the name is free at once, even if the file is open. */
static bool remove_file(const wchar_t *path)
{
    HANDLE handle = mb_open_handle(path, DELETE, OPEN_EXISTING,
                                   FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS);
    DWORD flags = DISPOSITION_FLAGS;
    struct mb_file_info info;

    if (handle == INVALID_HANDLE_VALUE) {
        return false;
    }
    bool is_folder = mb_look_at_handle(handle, &info) && info.type == MB_FILE_FOLDER;
    bool is_removed = !is_folder && SetFileInformationByHandle(handle, DISPOSITION_INFO_EX, &flags,
                                                               sizeof(flags));
    (void)CloseHandle(handle);
    if (is_folder) {
        errno = EISDIR;
    }
    return is_removed ||
           (!is_folder && (DeleteFileW(path) || RemoveDirectoryW(path) || mb_fail_windows()));
}

bool mb_file_remove(const struct mb_folder *folder, const char *name)
{
    return try_change(folder, name, remove_file);
}

bool mb_folder_remove_some(const struct mb_folder *folder, bool (*is_chosen)(const char *name))
{
    return mb_folder_remove_listed(folder, is_chosen);
}

/* --- new names --- */

/* As POSIX does it, even if the other file is open: Windows 10 can, on NTFS. */
static bool rename_over(const wchar_t *path, const wchar_t *new_path)
{
    size_t size = wcslen(new_path) * sizeof(*new_path);
    struct rename_info *info = calloc(1, sizeof(*info) + size + sizeof(*new_path));
    HANDLE handle = info != NULL
                        ? mb_open_handle(path, DELETE | SYNCHRONIZE, OPEN_EXISTING,
                                         FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS)
                        : INVALID_HANDLE_VALUE;
    bool is_renamed = false;

    if (handle != INVALID_HANDLE_VALUE) {
        info->flags = RENAME_FLAGS;
        info->size = (DWORD)size;
        (void)wmemcpy(info->name, new_path, size / sizeof(*new_path));
        is_renamed = SetFileInformationByHandle(handle, RENAME_INFO_EX, info,
                                                (DWORD)(sizeof(*info) + size + sizeof(*new_path)));
        (void)CloseHandle(handle);
    }
    free(info);
    return is_renamed;
}

static bool rename_path(const wchar_t *path, const wchar_t *new_path)
{
    return rename_over(path, new_path) || MoveFileExW(path, new_path, MOVEFILE_REPLACE_EXISTING) ||
           mb_fail_windows();
}

/* Not of a link: the system would take what it leads to. */
static bool link_path(const wchar_t *path, const wchar_t *new_path)
{
    DWORD attributes = GetFileAttributesW(path);

    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
        return mb_set_errno(ERROR_NOT_SUPPORTED);
    }
    return CreateHardLinkW(new_path, path, NULL) || mb_fail_windows();
}

static bool give_name(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                      const char *new_name,
                      bool (*act)(const wchar_t *path, const wchar_t *new_path))
{
    wchar_t *path = mb_widen_in(from, name);
    wchar_t *new_path = path != NULL ? mb_widen_in(to, new_name) : NULL;
    unsigned tries = 0;
    bool is_done = false;

    while (new_path != NULL && !is_done) {
        is_done = act(path, new_path);
        if (!is_done && !mb_wait_for_others(&tries)) {
            break;
        }
    }
    int reason = errno;
    free(path);
    free(new_path);
    errno = reason;
    return is_done;
}

bool mb_file_rename(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                    const char *new_name)
{
    return give_name(from, name, to, new_name, rename_path);
}

bool mb_file_link(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                  const char *new_name)
{
    return give_name(from, name, to, new_name, link_path);
}

bool mb_folder_can_rename(const struct mb_folder *from, const char *path, bool *can_rename)
{
    return mb_folder_has_device_of(from, path, can_rename);
}

/* --- locks between processes --- */

/* A file in the folder that is deleted when its opener closes it or ends; its sharing mode is the
 * lock. While the system removes it, other openers are refused. */
enum mb_locked mb_folder_lock(struct mb_folder *folder, enum mb_lock lock)
{
    bool is_shared = lock == MB_LOCK_SHARED;
    wchar_t *path = mb_widen_in(folder, LOCK_NAME);
    HANDLE handle = INVALID_HANDLE_VALUE;

    if (path != NULL) {
        handle = CreateFileW(
            path, GENERIC_READ | DELETE | (is_shared ? 0 : GENERIC_WRITE),
            is_shared ? FILE_SHARE_READ | FILE_SHARE_DELETE : 0, NULL, OPEN_ALWAYS,
            FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
        (void)(handle != INVALID_HANDLE_VALUE || mb_fail_windows());
    }
    free(path);
    if (handle == INVALID_HANDLE_VALUE) {
        return errno == EBUSY || errno == EACCES ? MB_LOCK_TAKEN : MB_LOCK_UNKNOWN;
    }
    folder->lock = (intptr_t)handle;
    return MB_LOCKED;
}

void mb_folder_unlock(struct mb_folder *folder)
{
    if (folder->lock != -1) {
        (void)CloseHandle(handle_of(folder->lock));
    }
    folder->lock = -1;
}
