/* What the sources of this folder share: names as Windows takes them, and its errors as errno. */

#ifndef BASE_WINDOWS_WINDOWS_H
#define BASE_WINDOWS_WINDOWS_H

#define NOMB /* names of windows.h that begin as ours do */
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "base/platform_folder.h"

#include <stdbool.h>
#include <stdint.h>

/* Set errno to what POSIX would say of GetLastError. False, for callers to return. */
bool mb_fail_windows(void);

/* The path of a name in a folder, or of the folder itself (name ""), as Windows takes it whatever
 * its length: absolute, with "\\?\" before it, so that neither 260 characters nor names of devices
 * count. False with errno. */
bool mb_widen_in(wchar_t wide[MB_PATH_SIZE], const struct mb_folder *folder, const char *name);

#define MB_SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* The handle of a file or folder, as CreateFileW gives it; INVALID_HANDLE_VALUE with errno. */
HANDLE mb_open_in(const struct mb_folder *folder, const char *name, DWORD access, DWORD share,
                  DWORD creation, DWORD flags);

/* What is open by this handle. */
bool mb_look_at_handle(HANDLE handle, struct mb_file_info *info);

#endif
