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

/* Set errno to what POSIX would say of this error of GetLastError. False, for callers to return. */
bool mb_set_errno(DWORD error);

/* The same of GetLastError itself. */
bool mb_fail_windows(void);

/* The path as Windows takes it whatever its length: absolute, with "\\?\" before it, so that
 * neither 260 characters nor names of devices count. For free(); NULL with errno. */
wchar_t *mb_widen_path(const char *path);

/* The same of a name in a folder, or of the folder itself: name "". */
wchar_t *mb_widen_in(const struct mb_folder *folder, const char *name);

/* UTF-8 as UTF-16, not a path. For free(); NULL with errno. */
wchar_t *mb_widen(const char *text);

/* UTF-16 as UTF-8; half a pair becomes U+FFFD. For free(); NULL with errno. */
char *mb_narrow(const wchar_t *text);

/* A path of Windows as ours: without "\\?\", "/" for "\". For free(); NULL with errno. */
char *mb_narrow_path(const wchar_t *path);

/* The handle of a file or folder, as CreateFileW gives it, shared with all processes;
 * INVALID_HANDLE_VALUE with errno. */
HANDLE mb_open_handle(const wchar_t *path, DWORD access, DWORD creation, DWORD flags);

/* What is open by this handle. */
bool mb_look_at_handle(HANDLE handle, struct mb_file_info *info);

/* Others, such as virus scanners and daemons of builds, keep files open for a moment: after a
 * failure, whether to try once more, for about a second. *tries begins as 0. */
bool mb_wait_for_others(unsigned *tries);

#endif
