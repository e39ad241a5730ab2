#include "base/windows/windows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define PREFIX L"\\\\?\\"
#define PREFIX_OF_SHARE L"\\\\?\\UNC\\"
#define PREFIX_SIZE (sizeof(PREFIX) / sizeof(wchar_t) - 1)
#define SHARE_PREFIX_SIZE (sizeof(PREFIX_OF_SHARE) / sizeof(wchar_t) - 1)

/* --- errors --- */

static const struct {
    DWORD error;
    int reason;
} reasons[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_BAD_PATHNAME, ENOENT},
    {ERROR_NO_MORE_FILES, ENOENT},
    {ERROR_DELETE_PENDING, EACCES},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_NETWORK_ACCESS_DENIED, EACCES},
    {ERROR_PRIVILEGE_NOT_HELD, EPERM},
    {ERROR_SHARING_VIOLATION, EBUSY},
    {ERROR_LOCK_VIOLATION, EAGAIN},
    {ERROR_USER_MAPPED_FILE, EBUSY},
    {ERROR_BUSY, EBUSY},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_COMMITMENT_LIMIT, ENOMEM},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_NOT_SAME_DEVICE, EXDEV},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_BUFFER_OVERFLOW, ENAMETOOLONG},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_NOT_SUPPORTED, ENOSYS},
    {ERROR_INVALID_FUNCTION, ENOSYS},
    {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
    {ERROR_TOO_MANY_LINKS, EMLINK},
};

bool mb_set_errno(DWORD error)
{
    errno = EIO;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].error == error) {
            errno = reasons[i].reason;
        }
    }
    return false;
}

bool mb_fail_windows(void)
{
    return mb_set_errno(GetLastError());
}

/* --- texts --- */

wchar_t *mb_widen(const char *text)
{
    int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = size > 0 ? malloc((size_t)size * sizeof(*wide)) : NULL;

    if (size <= 0) {
        (void)mb_fail_windows();
    } else if (wide != NULL) {
        (void)MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, size);
    }
    return wide;
}

char *mb_narrow(const wchar_t *text)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = size > 0 ? malloc((size_t)size) : NULL;

    if (size <= 0) {
        (void)mb_fail_windows();
    } else if (narrow != NULL) {
        (void)WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
    }
    return narrow;
}

/* --- paths --- */

static void turn_separators(wchar_t *path)
{
    for (; path != NULL && *path != L'\0'; path++) {
        *path = *path == L'/' ? L'\\' : *path;
    }
}

static bool is_separator(wchar_t letter)
{
    return letter == L'\\' || letter == L'/';
}

static bool has_drive(const wchar_t *path)
{
    return ((path[0] >= L'a' && path[0] <= L'z') || (path[0] >= L'A' && path[0] <= L'Z')) &&
           path[1] == L':';
}

/* The folder that a path is relative to, "C:\some" or "\\server\share\some", and *skipped letters
 * of the path that it stands for. NULL with errno. */
static wchar_t *find_base(const wchar_t *path, size_t *skipped)
{
    const wchar_t drive[] = {has_drive(path) ? path[0] : L'.', has_drive(path) ? L':' : L'\0',
                             L'\0'};
    DWORD size = GetFullPathNameW(drive, 0, NULL, NULL);
    wchar_t *base = size > 0 ? malloc(size * sizeof(*base)) : NULL;

    *skipped = has_drive(path) ? 2 : 0;
    if (size == 0 || (base != NULL && GetFullPathNameW(drive, size, base, NULL) >= size)) {
        (void)mb_fail_windows();
        free(base);
        return NULL;
    }
    if (base != NULL && is_separator(path[*skipped])) {
        base[has_drive(base) ? 2 : 0] = L'\0';
    }
    return base;
}

/* Where the parts begin that ".." may remove: after the drive or the share. */
static size_t size_of_root(const wchar_t *path)
{
    size_t end = PREFIX_SIZE + 2;

    if (wcsncmp(path, PREFIX_OF_SHARE, SHARE_PREFIX_SIZE) == 0) {
        end = SHARE_PREFIX_SIZE;
        end += wcscspn(path + end, L"\\/");
        end += path[end] != L'\0';
        end += wcscspn(path + end, L"\\/");
    }
    return end;
}

/* Append the parts of from, without "." and "..". */
static void put_parts(wchar_t *path, size_t root, const wchar_t *from)
{
    size_t end = wcslen(path);

    for (;;) {
        from += wcsspn(from, L"\\/");
        size_t size = wcscspn(from, L"\\/");
        if (size == 0) {
            break;
        }
        if (size == 2 && from[0] == L'.' && from[1] == L'.') {
            while (end > root && path[--end] != L'\\') {
            }
        } else if (size != 1 || from[0] != L'.') {
            path[end++] = L'\\';
            (void)wmemcpy(path + end, from, size);
            end += size;
        }
        from += size;
    }
    if (end == root) {
        path[end++] = L'\\';
    }
    path[end] = L'\0';
}

/* base and path are one after the other; both may be empty. NULL when out of memory. */
static wchar_t *join_paths(const wchar_t *base, const wchar_t *path)
{
    const wchar_t *first = base[0] != L'\0' ? base : path;
    bool is_share = is_separator(first[0]) && is_separator(first[1]);
    const wchar_t *prefix = is_share ? PREFIX_OF_SHARE : PREFIX;
    size_t size = wcslen(base) + wcslen(path) + SHARE_PREFIX_SIZE + 3;
    wchar_t *all = malloc(size * sizeof(*all));
    wchar_t *joined = malloc(size * sizeof(*joined));

    if (all != NULL && joined != NULL) {
        (void)wcscpy(all, prefix);
        (void)wcscat(all, is_share ? first + 2 : first);
        if (first == base) {
            (void)wcscat(wcscat(all, L"\\"), path);
        }
        size_t root = size_of_root(all);
        (void)wmemcpy(joined, all, root);
        joined[root] = L'\0';
        put_parts(joined, root, all + root);
        free(all);
        return joined;
    }
    free(all);
    free(joined);
    return NULL;
}

wchar_t *mb_widen_path(const char *path)
{
    wchar_t *wide = mb_widen(path);
    wchar_t *base = NULL;
    wchar_t *joined = NULL;
    size_t skipped = 0;

    if (wide == NULL ||
        (is_separator(wide[0]) && is_separator(wide[1]) && (wide[2] == L'?' || wide[2] == L'.'))) {
        turn_separators(wide);
        return wide;
    }
    bool is_absolute =
        has_drive(wide) ? is_separator(wide[2]) : is_separator(wide[0]) && is_separator(wide[1]);
    if (!is_absolute) {
        base = find_base(wide, &skipped);
    }
    if (is_absolute || base != NULL) {
        joined = join_paths(is_absolute ? L"" : base, wide + skipped);
    }
    free(base);
    free(wide);
    return joined;
}

char *mb_narrow_path(const wchar_t *path)
{
    bool is_share = wcsncmp(path, PREFIX_OF_SHARE, SHARE_PREFIX_SIZE) == 0;
    bool is_long = wcsncmp(path, PREFIX, PREFIX_SIZE) == 0;
    /* of "\\?\UNC\server" the "\\" of the beginning are the last two before "server", once "C\" is
     * "\\" */
    char *narrow = mb_narrow(path + (is_share ? SHARE_PREFIX_SIZE - 2 : is_long ? PREFIX_SIZE : 0));

    for (char *next = narrow; next != NULL && *next != '\0'; next++) {
        *next = *next == '\\' || (is_share && next == narrow) ? '/' : *next;
    }
    return narrow;
}

wchar_t *mb_widen_in(const struct mb_folder *folder, const char *name)
{
    if (folder == NULL || mb_path_is_absolute(name)) {
        return mb_widen_path(name);
    }
    size_t size = strlen(folder->path) + strlen(name) + 2;
    char *path = malloc(size);
    wchar_t *wide = NULL;

    if (path != NULL) {
        (void)snprintf(path, size, "%s/%s", folder->path, name);
        wide = mb_widen_path(path);
    }
    free(path);
    return wide;
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

char *mb_path_real(const char *path)
{
    wchar_t *wide = mb_widen_path(path);
    HANDLE handle = wide != NULL ? mb_open_handle(wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                                                  FILE_FLAG_BACKUP_SEMANTICS)
                                 : INVALID_HANDLE_VALUE;
    char *narrow = NULL;

    free(wide);
    if (handle == INVALID_HANDLE_VALUE) {
        return NULL;
    }
    DWORD size = GetFinalPathNameByHandleW(handle, NULL, 0, FILE_NAME_NORMALIZED);
    wchar_t *real = size > 0 ? malloc((size + 1) * sizeof(*real)) : NULL;
    if (real != NULL &&
        GetFinalPathNameByHandleW(handle, real, size + 1, FILE_NAME_NORMALIZED) <= size) {
        narrow = mb_narrow_path(real);
    } else {
        (void)(size == 0 ? mb_fail_windows() : mb_set_errno(ERROR_NOT_ENOUGH_MEMORY));
    }
    free(real);
    (void)CloseHandle(handle);
    return narrow;
}

char *mb_path_working(void)
{
    return mb_path_real(".");
}
