#include "live/terminal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <unistd.h>

#define ENTER "\x1b[?1049h\x1b[?25l" /* the other screen, no cursor */
#define LEAVE "\x1b[?25h\x1b[?1049l"
#define HOME "\x1b[H"
#define REST_OF_LINE "\x1b[K"
#define REST_OF_SCREEN "\x1b[J"
#define USUAL_COLUMNS 80
#define USUAL_ROWS 24

static volatile sig_atomic_t is_resized;

static void note_size(int number)
{
    (void)number;
    is_resized = 1;
}

static void read_size(struct live_terminal *terminal)
{
    struct winsize size = {0};
    bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

    is_resized = 0;
    terminal->columns = is_known && size.ws_col > 0 ? size.ws_col : USUAL_COLUMNS;
    terminal->rows = is_known && size.ws_row > 0 ? size.ws_row : USUAL_ROWS;
}

static bool put_text(const char *text)
{
    return mb_file_write_all(STDOUT_FILENO, text, strlen(text), NULL) == MB_OK;
}

/* Those that end the wait. */
static void block_signals(int how)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < MB_COUNT(numbers); i++) {
        (void)sigaddset(&set, numbers[i]);
    }
    (void)sigprocmask(how, &set, NULL);
}

enum mb_status live_terminal_open(struct live_terminal *terminal, struct mb_error *err)
{
    const struct sigaction action = {.sa_handler = note_size};
    struct termios modes;

    if (tcgetattr(STDIN_FILENO, &terminal->before) != 0) {
        return mb_fail_errno(err, "cannot read the terminal's modes");
    }
    modes = terminal->before;
    modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    modes.c_cc[VQUIT] = _POSIX_VDISABLE;
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    block_signals(SIG_BLOCK);
    (void)sigaction(SIGWINCH, &action, NULL);
    terminal->is_open = true;
    read_size(terminal);
    if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) != 0) {
        return mb_fail_errno(err, "cannot set the terminal's modes");
    }
    return put_text(ENTER) ? MB_OK : mb_fail_errno(err, "cannot write to the terminal");
}

void live_terminal_finish(struct live_terminal *terminal)
{
    if (!terminal->is_open) {
        return;
    }
    (void)put_text(LEAVE);
    (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal->before);
    block_signals(SIG_UNBLOCK);
    terminal->is_open = false;
}

bool live_terminal_show(struct live_terminal *terminal, const struct mb_buf *lines)
{
    struct mb_text rest = {(const char *)lines->bytes, lines->size};
    struct mb_buf out = {0};

    mb_buf_put_string(&out, HOME);
    for (size_t row = 0; row < terminal->rows && rest.size > 0; row++) {
        struct mb_text line = mb_text_split(&rest, '\n');
        mb_buf_put_string(&out, row > 0 ? "\r\n" : "");
        mb_buf_put(&out, line.data, line.size);
        mb_buf_put_string(&out, REST_OF_LINE);
    }
    mb_buf_put_string(&out, REST_OF_SCREEN);
    bool is_shown =
        !out.failed && mb_file_write_all(STDOUT_FILENO, out.bytes, out.size, NULL) == MB_OK;
    mb_buf_finish(&out);
    return is_shown;
}

/* Signals come only here, so that none falls between the question and the wait. */
static int wait_for_input(int64_t until_ns)
{
    int64_t left = until_ns - mb_clock_now_ns();
    struct timespec time = {0};
    sigset_t none;
    fd_set input;

    if (left > 0) {
        time = (struct timespec){.tv_sec = (time_t)(left / MB_NS_PER_S),
                                 .tv_nsec = (long)(left % MB_NS_PER_S)};
    }
    (void)sigemptyset(&none);
    FD_ZERO(&input);
    FD_SET(STDIN_FILENO, &input);
    return pselect(STDIN_FILENO + 1, &input, NULL, NULL, &time, &none);
}

enum live_event live_terminal_wait(struct live_terminal *terminal, int64_t until_ns, char *keys,
                                   size_t room, size_t *size)
{
    int ready = wait_for_input(until_ns);

    if (mb_is_interrupted() || (ready < 0 && errno != EINTR)) {
        return LIVE_EVENT_END;
    }
    if (is_resized) {
        read_size(terminal);
        return LIVE_EVENT_SIZE;
    }
    if (ready <= 0) {
        return LIVE_EVENT_TIME;
    }
    ssize_t got = read(STDIN_FILENO, keys, room); /* 0 or an error: it has hung up */
    *size = got > 0 ? (size_t)got : 0;
    return got > 0 ? LIVE_EVENT_KEYS : LIVE_EVENT_END;
}
