#include "base/windows/windows.h"

#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#define TICKS_TO_1970 INT64_C(116444736000000000) /* since 1601 */
#define NS_PER_TICK 100
#define PIECE_SIZE ((size_t)1 << 20) /* of a write: consoles refuse long ones */
#define POLL_MS 10
#define LOCKED_AT 0x7fffffff /* upper half of an offset: past the end of any file here */

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

/* --- what is known of a file --- */

static enum mb_file_type type_of(HANDLE handle, DWORD attributes)
{
    FILE_ATTRIBUTE_TAG_INFO tag;

    if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
        GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof(tag)) &&
        (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
         tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT)) {
        return MB_FILE_LINK;
    }
    return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? MB_FILE_FOLDER : MB_FILE_REGULAR;
}

bool mb_look_at_handle(HANDLE handle, struct mb_file_info *info)
{
    BY_HANDLE_FILE_INFORMATION found;
    FILE_STANDARD_INFO standard;

    if (GetFileType(handle) != FILE_TYPE_DISK) {
        *info = (struct mb_file_info){.type = MB_FILE_OTHER};
        errno = EBADF;
        return handle != INVALID_HANDLE_VALUE;
    }
    if (!GetFileInformationByHandle(handle, &found)) {
        return mb_fail_windows();
    }
    int64_t ticks = (int64_t)((uint64_t)found.ftLastWriteTime.dwHighDateTime << 32 |
                              found.ftLastWriteTime.dwLowDateTime);
    *info = (struct mb_file_info){
        .type = type_of(handle, found.dwFileAttributes),
        .id = {(uint64_t)found.dwVolumeSerialNumber + 1,
               (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow},
        .size = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow,
        .changed_ns = (ticks - TICKS_TO_1970) * NS_PER_TICK,
        .can_run = true, /* names tell what runs */
        .is_removed =
            GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof(standard)) &&
            (standard.DeletePending || standard.NumberOfLinks == 0),
    };
    return true;
}

static bool look_with(const struct mb_folder *folder, const char *name, struct mb_file_info *info,
                      DWORD flags)
{
    HANDLE handle = mb_open_in(folder, name, FILE_READ_ATTRIBUTES, MB_SHARE_ALL, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS | flags);
    bool is_seen = handle != INVALID_HANDLE_VALUE && mb_look_at_handle(handle, info);

    if (handle != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(handle);
    }
    return is_seen;
}

bool mb_file_look(const struct mb_folder *folder, const char *name, struct mb_file_info *info)
{
    return look_with(folder, name, info, 0);
}

bool mb_file_look_at_link(const struct mb_folder *folder, const char *name,
                          struct mb_file_info *info)
{
    return look_with(folder, name, info, FILE_FLAG_OPEN_REPARSE_POINT);
}

bool mb_file_look_open(int fd, struct mb_file_info *info)
{
    return mb_look_at_handle(handle_of(fd), info);
}

/* --- files --- */

static const struct {
    DWORD access;
    DWORD creation;
    DWORD flags;
    int descriptor;
} uses[] = {
    [MB_FILE_READ] = {GENERIC_READ, OPEN_EXISTING, 0, _O_RDONLY},
    [MB_FILE_READ_WAIT] = {GENERIC_READ, OPEN_EXISTING, 0, _O_RDONLY},
    [MB_FILE_READ_NAME] = {GENERIC_READ, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, _O_RDONLY},
    [MB_FILE_NEW] = {GENERIC_READ | GENERIC_WRITE, CREATE_NEW, FILE_FLAG_OPEN_REPARSE_POINT,
                     _O_RDWR},
    [MB_FILE_EMPTY] = {GENERIC_WRITE, OPEN_ALWAYS, 0, _O_WRONLY},
    [MB_FILE_APPEND] = {FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE, OPEN_ALWAYS,
                        FILE_FLAG_OPEN_REPARSE_POINT, _O_WRONLY | _O_APPEND},
    [MB_FILE_UPDATE] = {GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, 0, _O_RDWR},
};

/* What the use asks of a file that is open. */
static bool accept_use(HANDLE handle, enum mb_file_use use)
{
    struct mb_file_info info = {.type = MB_FILE_UNKNOWN};

    if ((uses[use].flags & FILE_FLAG_OPEN_REPARSE_POINT) != 0 && mb_look_at_handle(handle, &info) &&
        info.type == MB_FILE_LINK) {
        errno = ELOOP;
        return false;
    }
    return use != MB_FILE_EMPTY || GetFileType(handle) != FILE_TYPE_DISK || SetEndOfFile(handle) ||
           mb_fail_windows();
}

/* Without leave to list it a folder is told by what it is. */
int mb_file_open(const struct mb_folder *folder, const char *name, enum mb_file_use use)
{
    struct mb_file_info info = {.type = MB_FILE_UNKNOWN};
    HANDLE handle = mb_open_in(folder, name, uses[use].access, MB_SHARE_ALL, uses[use].creation,
                               uses[use].flags);
    int fd = -1;

    if (handle == INVALID_HANDLE_VALUE && errno == EACCES) {
        bool is_folder = mb_file_look(folder, name, &info) && info.type == MB_FILE_FOLDER;
        errno = is_folder ? EISDIR : EACCES;
    }
    if (handle == INVALID_HANDLE_VALUE) {
        return -1;
    }
    if (accept_use(handle, use)) {
        fd = _open_osfhandle((intptr_t)handle, uses[use].descriptor | _O_BINARY | _O_NOINHERIT);
    }
    if (fd < 0) {
        int reason = errno;
        (void)CloseHandle(handle);
        errno = reason;
    }
    return fd;
}

ptrdiff_t mb_file_get(int fd, void *bytes, size_t size)
{
    return _read(fd, bytes, size < INT32_MAX ? (unsigned)size : INT32_MAX);
}

/* Of both directions: what a request of Windows says of where it begins. */
static OVERLAPPED at_offset(uint64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

static DWORD piece_of(size_t size)
{
    return size < PIECE_SIZE ? (DWORD)size : (DWORD)PIECE_SIZE;
}

ptrdiff_t mb_file_get_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    OVERLAPPED at = at_offset(offset);
    DWORD got = 0;

    if (!ReadFile(handle_of(fd), bytes, piece_of(size), &got, &at) &&
        GetLastError() != ERROR_HANDLE_EOF) {
        (void)mb_fail_windows();
        return -1;
    }
    return (ptrdiff_t)got;
}

bool mb_file_put(int fd, const void *bytes, size_t size)
{
    const char *next = bytes;

    while (size > 0) {
        int put = _write(fd, next, piece_of(size));
        if (put <= 0) {
            return false;
        }
        next += put;
        size -= (size_t)put;
    }
    return true;
}

bool mb_file_put_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    const char *next = bytes;

    while (size > 0) {
        OVERLAPPED at = at_offset(offset);
        DWORD put = 0;
        if (!WriteFile(handle_of(fd), next, piece_of(size), &put, &at)) {
            return mb_fail_windows();
        }
        next += put;
        size -= put;
        offset += put;
    }
    return true;
}

int mb_file_open_temporary(void)
{
    FILE *file = tmpfile();
    int fd = file != NULL ? _dup(_fileno(file)) : -1;

    if (file != NULL) {
        (void)fclose(file);
    }
    return fd;
}

bool mb_file_seek(int fd, uint64_t offset)
{
    return _lseeki64(fd, (int64_t)offset, SEEK_SET) >= 0;
}

bool mb_file_cut(int fd, uint64_t size)
{
    return _chsize_s(fd, (int64_t)size) == 0;
}

bool mb_file_sync(int fd)
{
    return _commit(fd) == 0;
}

int mb_file_await(int fd, int ms)
{
    DWORD waiting = 0;

    if (GetFileType(handle_of(fd)) != FILE_TYPE_PIPE) {
        return 1;
    }
    for (int waited = 0;; waited += POLL_MS) {
        if (!PeekNamedPipe(handle_of(fd), NULL, 0, NULL, &waiting, NULL) || waiting > 0) {
            return 1; /* a failure is its end */
        }
        if (waited >= ms) {
            return 0;
        }
        Sleep(POLL_MS);
    }
}

bool mb_file_tells_holes(int fd)
{
    (void)fd;
    return false;
}

bool mb_file_find_data(int fd, uint64_t *start, uint64_t *end)
{
    (void)fd;
    *end = *start;
    errno = ENXIO;
    return false;
}

bool mb_file_lock(int fd)
{
    OVERLAPPED at = {.OffsetHigh = LOCKED_AT};

    while (!LockFileEx(handle_of(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                       &at)) {
        if (GetLastError() != ERROR_LOCK_VIOLATION) {
            return mb_fail_windows();
        }
        if (mb_is_interrupted()) {
            errno = EINTR;
            return false;
        }
        Sleep(POLL_MS);
    }
    return true;
}

void mb_file_take_mode(int fd, const char *path)
{
    (void)fd;
    (void)path;
}

bool mb_file_is_for_owner(int fd, const char *path)
{
    (void)fd;
    (void)path;
    return true;
}

void mb_file_let_run(int fd)
{
    (void)fd;
}
