#include "jvms/live/watch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#define LEAST_ROWS 3
#define NO_ROW SIZE_MAX
#define KEYS 64                      /* bytes that are read at a time */
#define ENTER "\x1b[?1049h\x1b[?25l" /* the other screen, no cursor */
#define LEAVE "\x1b[?25h\x1b[?1049l"
#define HOME "\x1b[H"
#define REST_OF_LINE "\x1b[K"
#define REST_OF_SCREEN "\x1b[J"
#define USUAL_COLUMNS 80
#define USUAL_ROWS 24

/* ---- The terminal ---- */

struct terminal {
    struct termios before; /* the modes that it gets back */
    bool is_open;
    size_t columns;
    size_t rows;
};

enum event {
    EVENT_TIME, /* it is that time */
    EVENT_KEYS,
    EVENT_SIZE, /* columns and rows are others */
    EVENT_END,  /* a signal asks to stop, or the terminal is gone */
};

static volatile sig_atomic_t is_resized;

static void note_size(int number)
{
    (void)number;
    is_resized = 1;
}

static void read_size(struct terminal *terminal)
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

/* Take the terminal: keys come one by one and unseen, signals only while it waits. MB_IO if that
 * is refused. Finish gives it back as it was, and accepts one that was never opened. */
static enum mb_status open_terminal(struct terminal *terminal, struct mb_error *err)
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

static void finish_terminal(struct terminal *terminal)
{
    if (!terminal->is_open) {
        return;
    }
    (void)put_text(LEAVE);
    (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal->before);
    block_signals(SIG_UNBLOCK);
    terminal->is_open = false;
}

/* Show these lines instead of those before; false if the terminal is gone. */
static bool show_lines(struct terminal *terminal, const struct mb_buf *lines)
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

/* Wait until a time of the monotonic clock, or for what comes before. *size bytes of keys. */
static enum event wait_for_event(struct terminal *terminal, int64_t until_ns, char *keys,
                                 size_t room, size_t *size)
{
    int ready = wait_for_input(until_ns);

    if (mb_is_interrupted() || (ready < 0 && errno != EINTR)) {
        return EVENT_END;
    }
    if (is_resized) {
        read_size(terminal);
        return EVENT_SIZE;
    }
    if (ready <= 0) {
        return EVENT_TIME;
    }
    ssize_t got = read(STDIN_FILENO, keys, room); /* 0 or an error: it has hung up */
    *size = got > 0 ? (size_t)got : 0;
    return got > 0 ? EVENT_KEYS : EVENT_END;
}

/* ---- The screen ---- */

struct screen {
    struct live_watch *watch;
    struct terminal terminal;
    enum live_view view;
    size_t first;    /* row of the table at the top */
    size_t row;      /* the chosen one, or NO_ROW */
    uint32_t chosen; /* its method, or LIVE_NO_METHOD: it moves with it */
    bool is_paused;
    bool is_done;
    bool has_colour;
    struct mb_buf lines;
    enum mb_status status; /* of a comparison that a key asked for */
    struct mb_error *err;
};

/* ---- What is shown ---- */

static const char help[] =
    "q quit, p pause, v threads, j k choose, enter calls, esc back; by b work, "
    "o own, w waits, t total, c calls, m mean, n threads";

static struct live_layout layout_of(const struct screen *screen)
{
    size_t rows = screen->terminal.rows;

    return (struct live_layout){
        .view = screen->view,
        .columns = screen->terminal.columns,
        .rows = rows > LEAST_ROWS ? rows : LEAST_ROWS,
        .first = screen->first,
        .selected = screen->row,
        .last = screen->is_paused ? "paused: p goes on, q quits" : help,
        .colour = screen->has_colour,
    };
}

/* The chosen row is within the table, and the table's rows on the screen hold it. */
static void place_rows(struct screen *screen)
{
    const struct live_facts facts = live_watch_facts(screen->watch);
    const struct live_layout layout = layout_of(screen);
    size_t count = live_table_count(&facts, screen->view);
    size_t page = live_table_page(&facts, &layout);

    if (screen->row != NO_ROW) {
        screen->row = screen->row < count ? screen->row : count > 0 ? count - 1 : NO_ROW;
    }
    if (screen->row != NO_ROW && screen->row < screen->first) {
        screen->first = screen->row;
    }
    if (screen->row != NO_ROW && screen->row - screen->first >= page && page > 0) {
        screen->first = screen->row - page + 1;
    }
    screen->first = screen->first < count ? screen->first : 0;
}

/* The chosen method has another row now. */
static void follow_method(struct screen *screen)
{
    const struct live_facts facts = live_watch_facts(screen->watch);
    size_t row = live_table_find(&facts, screen->chosen);

    if (screen->view == LIVE_METHODS && row != SIZE_MAX) {
        screen->row = row;
    }
}

static void draw_screen(struct screen *screen)
{
    const struct live_facts facts = live_watch_facts(screen->watch);

    mb_buf_reset(&screen->lines);
    if (facts.recent != NULL) {
        place_rows(screen);
        const struct live_layout layout = layout_of(screen);
        live_put_table(&screen->lines, &facts, &layout);
    } else {
        mb_buf_put_string(&screen->lines, "looking\n");
    }
    if (screen->lines.failed) {
        screen->status = mb_fail_memory(screen->err);
    }
    screen->is_done = screen->is_done || !show_lines(&screen->terminal, &screen->lines);
}

/* ---- Keys ---- */

static void quit(struct screen *screen)
{
    screen->is_done = true;
}

static void pause_or_go_on(struct screen *screen)
{
    screen->is_paused = !screen->is_paused;
    if (!screen->is_paused && !live_watch_is_over(screen->watch)) {
        screen->status = live_watch_restart(screen->watch, screen->err);
    }
}

static void show_view(struct screen *screen, enum live_view view)
{
    screen->view = view;
    screen->first = 0;
    screen->row = NO_ROW;
}

static void go_back(struct screen *screen)
{
    screen->status = live_watch_focus(screen->watch, LIVE_NO_METHOD, screen->err);
    show_view(screen, LIVE_METHODS);
    follow_method(screen);
}

static void show_threads(struct screen *screen)
{
    if (screen->view == LIVE_THREADS) {
        go_back(screen);
    } else {
        show_view(screen, LIVE_THREADS);
    }
}

static uint32_t chosen_method(const struct screen *screen)
{
    const struct live_facts facts = live_watch_facts(screen->watch);

    return live_table_method(&facts, screen->view, screen->row);
}

static void look_into(struct screen *screen)
{
    uint32_t id = chosen_method(screen);

    if (id != LIVE_NO_METHOD) {
        screen->status = live_watch_focus(screen->watch, id, screen->err);
        show_view(screen, LIVE_CALLS);
    }
}

/* Up is negative. */
static void move_by(struct screen *screen, long rows)
{
    if (screen->row == NO_ROW) {
        screen->row = screen->first;
    } else if (rows < 0 && screen->row < (size_t)-rows) {
        screen->row = 0;
    } else {
        screen->row += (size_t)rows;
    }
    place_rows(screen);
    screen->chosen = screen->view == LIVE_METHODS ? chosen_method(screen) : screen->chosen;
}

static void move_up(struct screen *screen)
{
    move_by(screen, -1);
}

static void move_down(struct screen *screen)
{
    move_by(screen, 1);
}

static void move_page_up(struct screen *screen)
{
    move_by(screen, -(long)screen->terminal.rows / 2);
}

static void move_page_down(struct screen *screen)
{
    move_by(screen, (long)screen->terminal.rows / 2);
}

/* What a terminal sends; the first that fits counts. */
static const struct key {
    const char *bytes;
    void (*act)(struct screen *screen);
} keys[] = {
    {"q", quit},
    {"p", pause_or_go_on},
    {" ", pause_or_go_on},
    {"v", show_threads},
    {"\r", look_into},
    {"\n", look_into},
    {"\x7f", go_back},
    {"k", move_up},
    {"j", move_down},
    {"\x1b[A", move_up},
    {"\x1b[B", move_down},
    {"\x1bOA", move_up},
    {"\x1bOB", move_down},
    {"\x1b[5~", move_page_up},
    {"\x1b[6~", move_page_down},
    {"\x1b", go_back},
};

static void take_order(struct screen *screen, char key)
{
    for (size_t i = 0; i < live_sort_count; i++) {
        if (live_sorts[i].key == key) {
            screen->status = live_watch_sort(screen->watch, &live_sorts[i], screen->err);
            follow_method(screen);
        }
    }
}

/* An escape sequence of no meaning here is passed over: up to its letter or tilde. */
static size_t sequence_size(struct mb_text typed)
{
    size_t size = 2;

    while (size < typed.size && (typed.data[size] < '@' || typed.data[size] > '~')) {
        size++;
    }
    return size < typed.size ? size + 1 : typed.size;
}

/* How many bytes the first key takes. */
static size_t take_key(struct screen *screen, struct mb_text typed)
{
    for (size_t i = 0; i < MB_COUNT(keys); i++) {
        struct mb_text bytes = mb_text_of(keys[i].bytes);
        bool is_other_sequence = bytes.size == 1 && bytes.data[0] == '\x1b' && typed.size > 1;
        if (mb_text_starts(typed, bytes) && !is_other_sequence) {
            keys[i].act(screen);
            return bytes.size;
        }
    }
    take_order(screen, typed.data[0]);
    return typed.data[0] == '\x1b' ? sequence_size(typed) : 1;
}

static void take_keys(struct screen *screen, struct mb_text typed)
{
    while (typed.size > 0 && !screen->is_done && screen->status == MB_OK) {
        typed = mb_text_from(typed, take_key(screen, typed));
    }
}

/* ---- Time ---- */

static void take_step(struct screen *screen)
{
    if (!screen->is_paused && !live_watch_is_over(screen->watch)) {
        screen->status = live_watch_step(screen->watch, screen->err);
        follow_method(screen);
    }
}

static void run_screen(struct screen *screen, int64_t interval_ns)
{
    int64_t next = mb_clock_now_ns() + interval_ns;
    char typed[KEYS];
    size_t size = 0;

    draw_screen(screen);
    while (!screen->is_done && screen->status == MB_OK) {
        enum event event = wait_for_event(&screen->terminal, next, typed, sizeof(typed), &size);
        if (event == EVENT_KEYS) {
            take_keys(screen, (struct mb_text){typed, size});
        } else if (event == EVENT_END) {
            return;
        }
        if (mb_clock_now_ns() >= next) {
            take_step(screen);
            next = mb_clock_now_ns() + interval_ns;
        }
        draw_screen(screen);
    }
}

bool live_screen_is_possible(void)
{
    const char *name = getenv("TERM");

    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && name != NULL &&
           strcmp(name, "dumb") != 0;
}

enum mb_status live_show_screen(struct live_watch *watch, const struct live_screen_wish *wish,
                                struct mb_error *err)
{
    struct screen screen = {.watch = watch,
                            .view = wish->has_threads ? LIVE_THREADS : LIVE_METHODS,
                            .row = NO_ROW,
                            .chosen = LIVE_NO_METHOD,
                            .has_colour = wish->has_colour,
                            .err = err};

    screen.status = open_terminal(&screen.terminal, err);
    if (screen.status == MB_OK) {
        run_screen(&screen, wish->interval_ns);
    }
    finish_terminal(&screen.terminal);
    mb_buf_finish(&screen.lines);
    return screen.status;
}
