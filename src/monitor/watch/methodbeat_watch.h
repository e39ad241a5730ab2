/* Monitors inside a program: they report slow messages and loops that lag, do not respond or hang,
 * with the stack that explains them, and a process that keeps its processors busy; also frame rates
 * and start times, if the program reports its frames, windows and start.
 *
 *     watch_start();
 *     for (;;) {
 *         int count = epoll_wait(...);
 *         watch_begin();
 *         handle(count);
 *         watch_end();
 *     }
 *
 * The man page lists the settings (METHODBEAT_EVIL_MS=300 in the environment, or watch_set). Any
 * thread may call any function at any time, in any order. No function ends the program, and only
 * watch_stop waits for a disk; monitors that cannot start stay off, with one line on stderr. A
 * forked child is not watched until it calls watch_start itself. */

#ifndef METHODBEAT_WATCH_H
#define METHODBEAT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WATCH_API __attribute__((visibility("default")))
#else
#define WATCH_API
#endif

#define WATCH_LOOP_COUNT 16u

/* ---- Life cycle ---- */

/* Set an option by its name or by Matrix's key, now or for the next start; overrides the
 * environment. False, with a line in the log, if the option does not exist or the value is invalid.
 * spool and app take effect at the next start. */
WATCH_API bool watch_set(const char *name, const char *value);

/* True if the monitors run now. Has no effect if they ran already. */
WATCH_API bool watch_start(void);

/* Ends open stalls. Returns when all issues are written, or after two seconds, while writing to a
 * slow disk goes on; at once if a listener calls it. */
WATCH_API void watch_stop(void);

WATCH_API bool watch_is_running(void);

/* The receiver of messages for people; NULL: stderr. Must not call back. */
WATCH_API void watch_log_to(void (*log)(const char *line));

/* ---- Loops ---- */

/* Begin and end of a message of the calling thread's loop. The first begin makes the thread a loop,
 * at most 16 at a time; further threads are counted and left out. Messages may nest. An end without
 * a begin is ignored. No allocation, lock or system call, except one wake-up of the watcher if all
 * loops rested. */
WATCH_API void watch_begin(void);
WATCH_API void watch_end(void);

/* The end of a message that can describe itself: if it was slow, describe is called on this thread.
 * It may return NULL: unknown. The first 127 bytes of the text are copied. */
WATCH_API void watch_end_as(const char *(*describe)(void *context), void *context);

/* The number of open messages of the calling thread; end those above depth, after a throw or
 * longjmp has left the code that ran them. */
WATCH_API uint32_t watch_depth(void);
WATCH_API void watch_unwind(uint32_t depth);

/* A stack being collected. Valid during the callback that fills it. */
struct watch_stack;

/* Add a function, innermost first; the first 64 are kept. The text is copied. It may end with the
 * place, as in "a.b.C.load(C.java:12)", which issues show; stacks that differ only in places are
 * equal. */
WATCH_API void watch_stack_add(struct watch_stack *stack, const char *function);

/* The functions added before and after this call are those that run now: finding their names may
 * take longer. */
WATCH_API void watch_stack_taken(struct watch_stack *stack);

/* Callbacks of a loop. All may be NULL; all except release are called on the watcher's thread, and
 * may wait for about a second at most. */
struct watch_loop {
    const char *name; /* default: the system's name of the thread */
    /* Have watch_pong(request) run on the loop soon, before its other work. */
    void (*ping)(void *context, uint32_t request);
    /* Add the functions on the stack of the loop's thread. */
    void (*stack)(void *context, struct watch_stack *stack);
    /* Release context: the thread ends, or describes its loop again. */
    void (*release)(void *context);
    void *context;
};

/* Describe the calling thread's loop. False if there are too many; then release is not called. */
WATCH_API bool watch_describe_loop(const struct watch_loop *loop);

/* The loop's answer to a ping. */
WATCH_API void watch_pong(uint32_t request);

/* ---- The program around the loops ---- */

/* A process of this name that its system ended because it did not respond. Texts may be NULL. */
struct watch_exit {
    int64_t wall_ns; /* when, ns since 1970 */
    uint32_t pid;
    const char *noted;  /* the last argument of its watch_host.note */
    const char *reason; /* in the system's words */
    const char *trace;  /* the system's stack dump */
};

/* Exits being collected. Valid during the callback that fills it. */
struct watch_exits;

/* Add an exit; the first 16 are kept. Texts are copied. */
WATCH_API void watch_exit_add(struct watch_exits *exits, const struct watch_exit *exit);

/* Callbacks of the program's run time. All may be NULL; called on the watcher's thread. */
struct watch_host {
    const char *process;           /* its name; NULL: as started. Borrowed while the monitors run */
    bool (*attach)(void *context); /* called first; false: do not call the others */
    void (*detach)(void *context); /* the thread ends */
    char *(*stacks)(void *context); /* of all threads, as text; freed with free */
    /* Add the exits since the last call of exits_told. */
    void (*exits)(void *context, struct watch_exits *exits);
    /* The added exits are reported: their issues are in place and outlive the process. */
    void (*exits_told)(void *context);
    /* The main loop stalls: have the system store this incident ("5f1c-17"). */
    void (*note)(void *context, const char *incident);
    void *context;
};

/* Takes effect at the next start. NULL: no callbacks. */
WATCH_API void watch_set_host(const struct watch_host *host);

/* The screen that is shown ("": unnamed), and whether any is. Without a call the program is in the
 * foreground. */
WATCH_API void watch_scene(const char *name, bool is_foreground);

/* States of windows that each fill a screen (Android's Activities). A program that reports them
 * shows by them which screen is shown and whether any is; watch_scene then names a part of the
 * shown window ("" if none). id identifies the window, and is not 0. Times are CLOCK_MONOTONIC in
 * ns, here and below; each of these calls takes a microsecond and a lock that is held briefly.
 * Calls while the monitors do not run have no effect. */
enum watch_window {
    WATCH_WINDOW_CREATED, /* has_state: from the saved state of an earlier one */
    WATCH_WINDOW_STARTED,
    WATCH_WINDOW_RESUMED,
    WATCH_WINDOW_PAUSED,
    WATCH_WINDOW_STOPPED,
    WATCH_WINDOW_DESTROYED,
    WATCH_WINDOW_DRAWN, /* for the first time */
    WATCH_WINDOW_FOCUSED,
    WATCH_WINDOW_UNFOCUSED
};

/* Call it on the main loop's thread: its records explain a slow start. */
WATCH_API void watch_window(enum watch_window what, uint32_t id, const char *name, int64_t at_ns,
                            bool has_state);

/* How the program started. */
enum watch_app {
    WATCH_APP_PROCESS,   /* the process was started */
    WATCH_APP_REQUESTED, /* its start was requested */
    WATCH_APP_FIRST,     /* its first record */
    WATCH_APP_INSTALLED, /* the monitors began; value: 1 if in the foreground */
    WATCH_APP_CREATED, /* the first message after the application was created; value: its number */
    WATCH_APP_REASON,  /* the system's reason; value: 1 started for a window, 2 not */
    WATCH_APP_FULLY_DRAWN /* the program reports that its contents are complete */
};

WATCH_API void watch_app(enum watch_app what, int64_t at_ns, uint32_t value);

/* ---- Frames ---- */

/* Stages of a frame, in order; the first six run on the main loop. */
enum watch_stage {
    WATCH_STAGE_DELAY, /* from intended_ns until the loop was free */
    WATCH_STAGE_INPUT,
    WATCH_STAGE_ANIMATION,
    WATCH_STAGE_LAYOUT,
    WATCH_STAGE_DRAW,
    WATCH_STAGE_SYNC,
    WATCH_STAGE_ISSUE,
    WATCH_STAGE_SWAP,
    WATCH_STAGE_GPU,
    WATCH_STAGE_COUNT
};

#define WATCH_STAGE_CUT (-100)

/* Unknown durations are 0. */
struct watch_frame {
    int64_t intended_ns;                  /* the intended vsync */
    int64_t vsync_ns;                     /* the vsync it was drawn for; 0: the same */
    int64_t total_ns;                     /* from intended_ns to its end */
    int64_t deadline_ns;                  /* from intended_ns to its deadline */
    int64_t interval_ns;                  /* of the display */
    int64_t stages_ns[WATCH_STAGE_COUNT]; /* WATCH_STAGE_CUT: did not end */
    uint32_t lost;                        /* frames before it that were not reported */
    bool is_first;                        /* of its window: left out of frame rates */
};

/* A frame was drawn. Any thread may call it, in order of the frames. False if the times are
 * impossible. */
WATCH_API bool watch_frame(const struct watch_frame *frame);

/* Figures for an FPS overlay. Levels are those of Matrix: 0 best, normal, middle, high, 4 frozen.
 */
#define WATCH_BAR_COUNT 50u
#define WATCH_LEVEL_COUNT 5u
#define WATCH_AT_REST 5u /* no frame for 250 ms */

struct watch_bar {
    uint32_t fps;
    uint32_t level; /* of its worst frame */
};

struct watch_overlay {
    uint32_t fps; /* of the last 200 ms of drawing; at rest the display's */
    uint32_t refresh;
    uint32_t level;
    uint32_t shares[WATCH_LEVEL_COUNT]; /* of this window's frames, percent */
    uint32_t score;                     /* 0 all best, 60 all frozen */
    uint32_t bar_count;
    struct watch_bar bars[WATCH_BAR_COUNT]; /* 200 ms of drawing each, the oldest first */
};

/* The first call starts the counting. False if the monitors do not run. */
WATCH_API bool watch_read_overlay(int64_t now_ns, struct watch_overlay *overlay);

/* ---- Issues ---- */

/* Borrowed: valid during the call of the listener. */
struct watch_issue {
    const char *detail; /* NORMAL, LAG, ANR, HANG, OFTEN, CPU, FPS, START, STARTUP, or its own */
    const char *ended;  /* normal, unseen, stopped, killed */
    uint32_t loop;
    int64_t cost_ns;
    uint64_t key;     /* the same for issues that have the same cause; 0 if unknown */
    const char *json; /* the whole issue, terminated */
    size_t json_size; /* without the end */
    const char *file; /* its path; NULL: not written */
    bool is_reported; /* marked for report (setting report_share) */
};

/* Report an issue of the program's own: it is written, counted, limited and passed to listeners,
 * like those of the monitors. detail is 1 to 31 letters, digits, '_', '.' and '-', and not a detail
 * of the monitors. Issues of one detail and key (at most 127 bytes; NULL if none) form a group.
 * json is any JSON value of at most 65,535 bytes; NULL if none. False, with a line in the log, if
 * an argument is invalid; without one if the monitors do not run or 32 issues are pending. The
 * caller touches no file: it wakes the watcher, and if the process is killed before the watcher has
 * run, the issue is lost. watch_stop waits until the issue is written. Not for signal handlers. */
WATCH_API bool watch_report(const char *detail, const char *key, const char *json);

/* Add a listener, called for each issue on a thread of the monitors, where it may block. False if
 * there are 8 listeners already. The same pair is added once. */
WATCH_API bool watch_listen(void (*heard)(void *context, const struct watch_issue *issue),
                            void *context);
/* When this returns, the listener is not running, except on the calling thread. */
WATCH_API void watch_unlisten(void (*heard)(void *context, const struct watch_issue *issue),
                              void *context);

/* ---- Counters ---- */

/* Classes of messages by length, measured with a clock of a few ms: messages of class 0 took less
 * than 2^23 ns (8.4 ms), of class n less than 2^(23 + n) ns, of the last class any time. */
#define WATCH_LENGTH_COUNT 16u
#define WATCH_LENGTH_SHIFT 23u

/* Of this process, over all starts. */
struct watch_counters {
    uint64_t issues;
    uint64_t looks;             /* wake-ups of the watcher */
    uint64_t messages;          /* ended messages of all loops */
    uint64_t loops_left_out;    /* threads beyond the limit of loops */
    uint64_t deep_messages;     /* nested deeper than 8: counted as part of the message around */
    uint64_t ends_alone;        /* ends without a begin */
    uint64_t slow_left_out;     /* slow messages without room until the next look */
    uint64_t names_left_out;    /* texts without room */
    uint64_t answers_left_out;  /* unanswered questions of the rules */
    uint64_t news_left_out;     /* frames and windows: without room, or with impossible times */
    uint64_t frames_left_out;   /* reported frames: duplicates, and the first of each window */
    uint64_t starts_broken_off; /* the user left before the start was over */
    uint64_t starts_unseen;     /* of the process, for another reason than a window */
    uint64_t starts_odd;        /* longer than 30 s, or negative */
    uint64_t debugged;          /* issues dropped because of a debugger */
    uint64_t pings;
    uint64_t pings_moot;   /* the loop had moved before the answer */
    uint64_t stale_stacks; /* of a message that had ended */
    uint64_t starts;
    uint64_t lengths[WATCH_LENGTH_COUNT];
    int64_t gap_ns;    /* time for which the watcher was stopped */
    int64_t latest_ns; /* the most that it woke up late, gaps aside */
};

WATCH_API void watch_read_counters(struct watch_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
