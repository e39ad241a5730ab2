#include "base/platform_system.h"

#include "base/windows/windows.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 3

int _dowildcard = 0; /* of the C library: "*" in arguments is not looked up */

/* The program's manifest, as windres would put it in: Windows 10 (its id below), as which it tells
 * its version; names and texts of the C library and of functions that end in A are UTF-8. */
#define MANIFEST                                                                         \
    "<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'>"          \
    "<compatibility xmlns='urn:schemas-microsoft-com:compatibility.v1'><application>"    \
    "<supportedOS Id='{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}'/></application>"           \
    "</compatibility><application xmlns='urn:schemas-microsoft-com:asm.v3'>"             \
    "<windowsSettings><activeCodePage "                                                  \
    "xmlns='http://schemas.microsoft.com/SMI/2019/WindowsSettings'>UTF-8"                \
    "</activeCodePage><longPathAware "                                                   \
    "xmlns='http://schemas.microsoft.com/SMI/2016/WindowsSettings'>true</longPathAware>" \
    "</windowsSettings></application></assembly>"

/* Three folders of resources, each with one entry, by number: type 24, name 1, language 0; then
 * where the manifest is. */
#define ONE_ENTRY ".long 0, 0, 0\n.short 0, 1\n.long "
__asm__(".section .rsrc, \"dr\"\n" ONE_ENTRY "24, 0x80000018\n" ONE_ENTRY
        "1, 0x80000030\n" ONE_ENTRY "0, 0x48\n"
        ".rva manifest\n.long manifest_end - manifest, 0, 0\n"
        "manifest: .ascii \"" MANIFEST "\"\nmanifest_end:\n.text\n");

/* Opened for the wrong direction, the stream fails as a closed one does. */
static void occupy_closed_streams(void)
{
    for (int fd = 0; fd < STREAMS; fd++) {
        if (_get_osfhandle(fd) < 0) {
            (void)_open("NUL", (fd == 0 ? _O_WRONLY : _O_RDONLY) | _O_NOINHERIT);
        }
        (void)_setmode(fd, _O_BINARY);
    }
}

static UINT old_code_page;

static void restore_console(void)
{
    (void)SetConsoleOutputCP(old_code_page);
}

void mb_system_begin(int *argc, char ***argv)
{
    if (GetACP() != CP_UTF8) {
        mb_system_complain("methodbeat needs Windows 10, version 1903 or later\n");
        _exit(1);
    }
    for (int i = 0; i < *argc; i++) {
        mb_path_accept((*argv)[i]);
    }
    occupy_closed_streams();
    old_code_page = GetConsoleOutputCP();
    if (old_code_page != 0 && old_code_page != CP_UTF8 && SetConsoleOutputCP(CP_UTF8)) {
        (void)atexit(restore_console);
    }
}

unsigned mb_terminal_columns(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO info;

    return GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info)
               ? (unsigned)(info.srWindow.Right - info.srWindow.Left + 1)
               : 0;
}

bool mb_terminal_has_colours(int fd)
{
    HANDLE handle = (HANDLE)_get_osfhandle(fd);
    const char *terminal = getenv("TERM");
    DWORD mode;

    return (terminal == NULL || strcmp(terminal, "dumb") != 0) && GetConsoleMode(handle, &mode) &&
           SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool mb_time_use_utc(void)
{
    if (_putenv_s("TZ", "UTC0") != 0) {
        return false;
    }
    _tzset();
    return true;
}

bool mb_time_to_utc(int64_t seconds, struct tm *date)
{
    return _gmtime64_s(date, &seconds) == 0;
}

int64_t mb_time_from_utc(const struct tm *date)
{
    struct tm copy = *date;

    return _mkgmtime64(&copy);
}

void mb_system_complain(const char *text)
{
    DWORD put;

    (void)WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)strlen(text), &put, NULL);
}

void mb_system_quit(int code)
{
    if (old_code_page != 0) {
        restore_console();
    }
    _exit(code);
}
