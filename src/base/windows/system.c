#include "base/platform_system.h"

#include "base/windows/windows.h"

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 3

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

/* The words as they were typed: the C library's are of another code page, and "*" in them would be
 * looked up. Lives as long as the process; NULL: as the C library has them. */
static char **read_arguments(int *argc)
{
    wchar_t **words = CommandLineToArgvW(GetCommandLineW(), argc);
    char **argv = words != NULL ? calloc((size_t)*argc + 1, sizeof(*argv)) : NULL;

    for (int i = 0; argv != NULL && i < *argc; i++) {
        argv[i] = mb_narrow_path(words[i]);
        *argc = argv[i] != NULL ? *argc : i; /* out of memory at the start */
    }
    (void)LocalFree(words);
    return argv;
}

static UINT old_code_page;

static void restore_console(void)
{
    (void)SetConsoleOutputCP(old_code_page);
}

void mb_system_begin(int *argc, char ***argv)
{
    int count = *argc;
    char **words = read_arguments(&count);

    if (words != NULL) {
        *argc = count;
        *argv = words;
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
