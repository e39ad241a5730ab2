#ifndef _CRT_RAND_S
#define _CRT_RAND_S
#endif

#include "base/windows/windows.h"

#include <direct.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define LOCK_NAME ".methodbeat.lock"
#define RANDOM_SIZE 6
#define MOST_NAMES 100 /* that are tried for a new folder */

/* Of headers that mingw has for newer systems alone. */
#define RENAME_INFO_EX ((FILE_INFO_BY_HANDLE_CLASS)22)
#define RENAME_FLAGS 0x43U /* replaces, as POSIX does, what may not be written, too */
#define DISPOSITION_INFO_EX ((FILE_INFO_BY_HANDLE_CLASS)21)
#define DISPOSITION_FLAGS 0x13U /* deletes, as POSIX does, what may not be written, too */
#define NAME_ITSELF (FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS)

/* FILE_RENAME_INFO by which Windows 10 takes flags. */
struct rename_info {
    DWORD flags;
    HANDLE root;
    DWORD size; /* bytes of the name */
    wchar_t name[MB_PATH_SIZE];
};

static HANDLE handle_of(intptr_t number)
{
    return (HANDLE)number;
}

/* --- open folders --- */

/* While it is open, no folder above it can be renamed. */
static bool open_folder(struct mb_folder *folder, const char *path, DWORD flags)
{
    HANDLE handle = mb_open_in(NULL, path, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES,
                               FILE_SHARE_READ | FILE_SHARE_WRITE, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS | flags);
    struct mb_file_info info = {.type = MB_FILE_UNKNOWN};

    *folder = MB_NO_FOLDER;
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

/* Not opendir's: in UTF-8, names may be longer than its entries have room for. */
struct mb_listing {
    HANDLE search;
    bool has_first;
    WIN32_FIND_DATAW found;
    char name[3 * MAX_PATH];
};

struct mb_listing *mb_listing_begin(const struct mb_folder *folder, const char *name)
{
    wchar_t pattern[MB_PATH_SIZE];
    struct mb_listing *listing = NULL;

    if (!mb_widen_in(pattern, folder, name)) {
        return NULL;
    }
    size_t size = wcslen(pattern);
    (void)wcsncat(pattern, L"\\*", MB_PATH_SIZE - 1 - size);
    listing = calloc(1, sizeof(*listing));
    if (listing == NULL) {
        return NULL;
    }
    listing->has_first = true;
    listing->search = FindFirstFileExW(pattern, FindExInfoBasic, &listing->found,
                                       FindExSearchNameMatch, NULL, FIND_FIRST_EX_LARGE_FETCH);
    if (listing->search == INVALID_HANDLE_VALUE) {
        (void)mb_fail_windows();
        free(listing);
        return NULL;
    }
    return listing;
}

static bool is_left_out(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, LOCK_NAME) == 0;
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
            bool is_end = GetLastError() == ERROR_NO_MORE_FILES;
            (void)mb_fail_windows();
            errno = is_end ? 0 : errno;
            return false;
        }
        listing->has_first = false;
        (void)WideCharToMultiByte(CP_UTF8, 0, listing->found.cFileName, -1, listing->name,
                                  sizeof(listing->name), NULL, NULL);
    } while (is_left_out(listing->name));
    *entry = (struct mb_entry){listing->name, type_of(&listing->found)};
    return true;
}

void mb_listing_end(struct mb_listing *listing)
{
    (void)FindClose(listing->search);
    free(listing);
}

/* --- changes --- */

/* Others, such as virus scanners and daemons of builds, keep files open for a moment: after a
 * failure, whether to try once more, for about a second. *tries begins as 0. */
static bool wait_for_others(unsigned *tries)
{
    bool may_pass = (errno == EBUSY || errno == EACCES) && *tries < 7;

    if (may_pass) {
        Sleep(8U << (*tries)++); /* 8 + 16 + ... + 512 ms */
    }
    return may_pass;
}

/* Do what takes a path, and try it again while others are in the way. */
static bool try_change(const struct mb_folder *folder, const char *name,
                       bool (*act)(const wchar_t *path))
{
    wchar_t path[MB_PATH_SIZE];
    unsigned tries = 0;
    bool is_done = false;

    if (mb_widen_in(path, folder, name)) {
        do {
            is_done = act(path);
        } while (!is_done && wait_for_others(&tries));
    }
    return is_done;
}

bool mb_folder_make(const struct mb_folder *folder, const char *name)
{
    wchar_t path[MB_PATH_SIZE];

    return mb_widen_in(path, folder, name) && _wmkdir(path) == 0;
}

bool mb_folder_make_new(char *path)
{
    char *letters = path + strlen(path) - RANDOM_SIZE;
    unsigned drawn = 0;
    bool is_made = false;

    for (int i = 0; i < MOST_NAMES && !is_made && (i == 0 || errno == EEXIST); i++) {
        (void)rand_s(&drawn);
        (void)snprintf(letters, RANDOM_SIZE + 1, "%06x", drawn & 0xffffff);
        is_made = mb_folder_make(NULL, path);
    }
    return is_made;
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
    return mb_folder_remove(NULL, path);
}

/* As POSIX does, where the system can, as NTFS: the name is free at once, even if the file is open
 * or may not be written. */
static bool set_info(const wchar_t *path, FILE_INFO_BY_HANDLE_CLASS kind, void *info, DWORD size)
{
    HANDLE handle = CreateFileW(path, DELETE | SYNCHRONIZE, MB_SHARE_ALL, NULL, OPEN_EXISTING,
                                NAME_ITSELF, NULL);
    bool is_set =
        handle != INVALID_HANDLE_VALUE && SetFileInformationByHandle(handle, kind, info, size);

    if (handle != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(handle);
    }
    return is_set;
}

static DWORD attributes_of(const wchar_t *path)
{
    DWORD attributes = GetFileAttributesW(path);

    return attributes != INVALID_FILE_ATTRIBUTES ? attributes : 0;
}

static bool remove_file(const wchar_t *path)
{
    DWORD flags = DISPOSITION_FLAGS;
    DWORD attributes = attributes_of(path);

    if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
        (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) {
        errno = EISDIR;
        return false;
    }
    return set_info(path, DISPOSITION_INFO_EX, &flags, sizeof(flags)) ||
           ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? RemoveDirectoryW(path)
                                                         : DeleteFileW(path)) ||
           mb_fail_windows();
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

static bool rename_path(const wchar_t *path, const wchar_t *new_path)
{
    size_t length = wcslen(new_path);
    struct rename_info info = {.flags = RENAME_FLAGS, .size = (DWORD)(length * sizeof(*new_path))};

    (void)wmemcpy(info.name, new_path, length + 1);
    return set_info(path, RENAME_INFO_EX, &info, sizeof(info)) ||
           MoveFileExW(path, new_path, MOVEFILE_REPLACE_EXISTING) || mb_fail_windows();
}

/* Not of a link: the system would take what it leads to. */
static bool link_path(const wchar_t *path, const wchar_t *new_path)
{
    if ((attributes_of(path) & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
        errno = ENOSYS;
        return false;
    }
    return CreateHardLinkW(new_path, path, NULL) || mb_fail_windows();
}

static bool give_name(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                      const char *new_name,
                      bool (*act)(const wchar_t *path, const wchar_t *new_path))
{
    wchar_t path[MB_PATH_SIZE];
    wchar_t new_path[MB_PATH_SIZE];
    unsigned tries = 0;
    bool is_done = false;

    if (mb_widen_in(path, from, name) && mb_widen_in(new_path, to, new_name)) {
        do {
            is_done = act(path, new_path);
        } while (!is_done && wait_for_others(&tries));
    }
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
    HANDLE handle = mb_open_in(
        folder, LOCK_NAME, GENERIC_READ | DELETE | (is_shared ? 0 : GENERIC_WRITE),
        is_shared ? FILE_SHARE_READ | FILE_SHARE_DELETE : 0, OPEN_ALWAYS,
        FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT);

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
