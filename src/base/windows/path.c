#include "base/windows/windows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define PREFIX L"\\\\?\\"
#define PREFIX_OF_SHARE L"\\\\?\\UNC\\"
#define PREFIX_SIZE (sizeof(PREFIX) / sizeof(wchar_t) - 1)
#define SHARE_PREFIX_SIZE (sizeof(PREFIX_OF_SHARE) / sizeof(wchar_t) - 1)

/* --- errors --- */

/* The C library's own table is not for programs. */
static const struct {
    DWORD error;
    int reason;
} reasons[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
               {ERROR_PATH_NOT_FOUND, ENOENT},
               {ERROR_INVALID_NAME, ENOENT},
               {ERROR_INVALID_DRIVE, ENOENT},
               {ERROR_BAD_NETPATH, ENOENT},
               {ERROR_BAD_NET_NAME, ENOENT},
               {ERROR_ACCESS_DENIED, EACCES},
               {ERROR_DELETE_PENDING, EACCES},
               {ERROR_PRIVILEGE_NOT_HELD, EPERM},
               {ERROR_SHARING_VIOLATION, EBUSY},
               {ERROR_USER_MAPPED_FILE, EBUSY},
               {ERROR_FILE_EXISTS, EEXIST},
               {ERROR_ALREADY_EXISTS, EEXIST},
               {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
               {ERROR_DIRECTORY, ENOTDIR},
               {ERROR_NOT_SAME_DEVICE, EXDEV},
               {ERROR_DISK_FULL, ENOSPC},
               {ERROR_HANDLE_DISK_FULL, ENOSPC},
               {ERROR_WRITE_PROTECT, EROFS},
               {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
               {ERROR_INSUFFICIENT_BUFFER, ENAMETOOLONG},
               {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
               {ERROR_COMMITMENT_LIMIT, ENOMEM},
               {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
               {ERROR_BROKEN_PIPE, EPIPE},
               {ERROR_INVALID_HANDLE, EBADF},
               {ERROR_NOT_SUPPORTED, ENOSYS},
               {ERROR_NO_UNICODE_TRANSLATION, EILSEQ}};

bool mb_fail_windows(void)
{
    DWORD error = GetLastError();

    errno = EIO;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        errno = reasons[i].error == error ? reasons[i].reason : errno;
    }
    return false;
}

/* --- paths --- */

/* A part more, "!", keeps Windows from taking the last one for a device. */
static bool make_full(wchar_t full[MB_PATH_SIZE], const wchar_t *path_and_part)
{
    DWORD size = GetFullPathNameW(path_and_part, MB_PATH_SIZE, full, NULL);

    if (size == 0) {
        return mb_fail_windows();
    }
    if (size + SHARE_PREFIX_SIZE >= MB_PATH_SIZE) {
        errno = ENAMETOOLONG;
        return false;
    }
    full[size - 1] = L'\0';
    if (full[size - 3] != L':') {
        full[size - 2] = L'\0'; /* "C:\" keeps it */
    }
    return true;
}

bool mb_widen_in(wchar_t wide[MB_PATH_SIZE], const struct mb_folder *folder, const char *name)
{
    char text[MB_PATH_SIZE];
    wchar_t full[MB_PATH_SIZE];
    bool is_in = folder != NULL && !mb_path_is_absolute(name);
    int size = snprintf(text, sizeof(text), "%s%s%s/!", is_in ? folder->path : "", is_in ? "/" : "",
                        is_in || name[0] != '\0' ? name : ".");

    if (size >= (int)sizeof(text)) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, MB_PATH_SIZE) == 0) {
        return mb_fail_windows();
    }
    if (!make_full(full, wide)) {
        return false;
    }
    bool is_share = wcsncmp(full, L"\\\\", 2) == 0;
    bool is_device = is_share && (full[2] == L'.' || full[2] == L'?');
    (void)wcscpy(wide, is_device ? L"" : is_share ? PREFIX_OF_SHARE : PREFIX);
    (void)wcscat(wide, full + (is_share && !is_device ? 2 : 0));
    return true;
}

HANDLE mb_open_in(const struct mb_folder *folder, const char *name, DWORD access, DWORD share,
                  DWORD creation, DWORD flags)
{
    wchar_t path[MB_PATH_SIZE];
    HANDLE handle = INVALID_HANDLE_VALUE;

    if (mb_widen_in(path, folder, name)) {
        handle = CreateFileW(path, access, share, NULL, creation, flags, NULL);
        (void)(handle != INVALID_HANDLE_VALUE || mb_fail_windows());
    }
    return handle;
}

const char mb_path_nothing[] = "//./NUL";
const char mb_path_separator = ';'; /* drives have a colon */
const bool mb_path_has_devices = true;

void mb_path_accept(char *path)
{
    for (; *path != '\0'; path++) {
        *path = *path == '\\' ? '/' : *path;
    }
}

size_t mb_path_root_size(const char *path)
{
    size_t end = 2;

    if (((path[0] | 32) >= 'a' && (path[0] | 32) <= 'z') && path[1] == ':') {
        return path[2] == '/' ? 3 : 0;
    }
    if (path[0] != '/' || path[1] != '/') {
        return path[0] == '/'; /* of the drive that is the working folder's */
    }
    end += strcspn(path + end, "/");
    end += path[end] != '\0';
    end += strcspn(path + end, "/");
    return end + (path[end] != '\0');
}

/* A path of Windows as ours, without what mb_widen_in puts before it. */
static char *make_path(wchar_t *wide)
{
    char path[MB_PATH_SIZE];

    if (wcsncmp(wide, PREFIX_OF_SHARE, SHARE_PREFIX_SIZE) == 0) {
        wide += SHARE_PREFIX_SIZE - 2;
        wide[0] = L'/';
    } else if (wcsncmp(wide, PREFIX, PREFIX_SIZE) == 0) {
        wide += PREFIX_SIZE;
    }
    if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, sizeof(path), NULL, NULL) == 0) {
        (void)mb_fail_windows();
        return NULL;
    }
    mb_path_accept(path);
    return strdup(path);
}

char *mb_path_real(const char *path)
{
    wchar_t real[MB_PATH_SIZE];
    HANDLE handle = mb_open_in(NULL, path, FILE_READ_ATTRIBUTES, MB_SHARE_ALL, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);

    if (handle == INVALID_HANDLE_VALUE) {
        return NULL;
    }
    DWORD size = GetFinalPathNameByHandleW(handle, real, MB_PATH_SIZE, FILE_NAME_NORMALIZED);
    if (size == 0) {
        (void)mb_fail_windows();
    } else if (size >= MB_PATH_SIZE) {
        errno = ENAMETOOLONG;
    }
    (void)CloseHandle(handle);
    return size > 0 && size < MB_PATH_SIZE ? make_path(real) : NULL;
}

char *mb_path_working(void)
{
    return mb_path_real(".");
}
