#include "base/platform_system.h"

#include "base/platform.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Opened for the wrong direction, the stream fails as a closed one does. */
static void occupy_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void mb_system_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    occupy_closed_streams();
    (void)signal(SIGXFSZ, SIG_IGN);
}

unsigned mb_terminal_columns(int fd)
{
    struct winsize size = {0};

    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool mb_terminal_has_colours(int fd)
{
    const char *terminal = getenv("TERM");

    return terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(fd) == 1;
}

bool mb_time_use_utc(void)
{
    if (setenv("TZ", "UTC0", 1) != 0) {
        return false;
    }
    tzset();
    return true;
}

bool mb_time_to_utc(int64_t seconds, struct tm *date)
{
    const time_t time = (time_t)seconds;

    return gmtime_r(&time, date) != NULL;
}

int64_t mb_time_from_utc(const struct tm *date)
{
    struct tm copy = *date;

    return timegm(&copy);
}

void mb_system_complain(const char *text)
{
    (void)mb_file_put(STDERR_FILENO, text, strlen(text));
}

void mb_system_quit(int code)
{
    _exit(code);
}
