/* Monitors that run inside a program and speak up by themselves: slow messages, loops that lag, do
 * not respond or hang, with the stack that explains them, and a process that keeps its processors
 * busy; and how screens are drawn and the program starts, where it tells of that.
 *
 *     watch_start();
 *     for (;;) {
 *         int count = epoll_wait(...);
 *         watch_begin();
 *         handle(count);
 *         watch_end();
 *     }
 *
 * Settings are those of `methodbeat help` (METHODBEAT_EVIL_MS=300 in the environment, or
 * watch_set). Every function may be called from any thread at any time, in any order. Nothing here
 * ends the program or waits for a disk but watch_stop; what cannot be had leaves the monitors off,
 * with one line to stderr. A forked child is not watched until it calls watch_start itself. */

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

/* Set an option by its name or by Matrix's key, now or for the next start; wins over the
 * environment. False, with a line in the log, if there is no such option or it takes no such value.
 * spool, event_log and device are those of the next start. */
WATCH_API bool watch_set(const char *name, const char *value);

/* True if the monitors run. Does nothing if they do already. */
WATCH_API bool watch_start(void);

/* Stalls that are open end here. Returns when all is written, or after two seconds of a disk that
 * takes longer, which then goes on; at once when called by a listener. */
WATCH_API void watch_stop(void);

WATCH_API bool watch_is_running(void);

/* Where lines for people go; NULL: stderr. Must not call back. */
WATCH_API void watch_log_to(void (*log)(const char *line));

/* ---- Loops ---- */

/* A message of the calling thread's loop begins, ends. The first one makes the thread a loop's; at
 * most 16 at a time, more are counted and left out. They may be nested. An end without a begin is
 * ignored. No allocation, lock or system call, but one wake-up of the watcher where all loops
 * rested. */
WATCH_API void watch_begin(void);
WATCH_API void watch_end(void);

/* The same end, of a message that can say what it was: describe is called, on this thread, only if
 * it was slow. NULL: unknown. The text is copied, its first 127 bytes. */
WATCH_API void watch_end_as(const char *(*describe)(void *context), void *context);

/* How many messages of the calling thread are open; end those above depth, because what ran them
 * was left by a throw or longjmp. */
WATCH_API uint32_t watch_depth(void);
WATCH_API void watch_unwind(uint32_t depth);

/* Where a stack goes. Valid while it is asked for. */
struct watch_stack;

/* Innermost first; the first 64 are kept. The text is copied. Where the function is may stand
 * behind it: "a.b.C.load(C.java:12)"; it is told, and stacks that differ in lines only are one. */
WATCH_API void watch_stack_add(struct watch_stack *stack, const char *function);

/* What a loop can do beside having messages. All may be NULL; all but release are called on the
 * watcher's thread, and may wait for at most a second or so. */
struct watch_loop {
    const char *name; /* default: the system's name of the thread */
    /* Have watch_pong(request) run on the loop soon, before what it has to do anyway. */
    void (*ping)(void *context, uint32_t request);
    /* Add the functions that the loop's thread is in. */
    void (*stack)(void *context, struct watch_stack *stack);
    /* context is of no use any more: the thread ends, or describes its loop anew. */
    void (*release)(void *context);
    void *context;
};

/* Describe the calling thread's loop. False (and release is not called) if there are too many. */
WATCH_API bool watch_describe_loop(const struct watch_loop *loop);

/* Called by the loop for a ping. */
WATCH_API void watch_pong(uint32_t request);

/* ---- The program around the loops ---- */

/* A process of this name that its system ended because it did not respond. Texts may be NULL. */
struct watch_exit {
    int64_t wall_ns; /* when, ns since 1970 */
    uint32_t pid;
    const char *noted;  /* what its watch_host.note was given last */
    const char *reason; /* in the system's words */
    const char *trace;  /* the stacks that the system took */
};

/* Where exits go. Valid while they are asked for. */
struct watch_exits;

/* Texts are copied. The first 16 are kept. */
WATCH_API void watch_exit_add(struct watch_exits *exits, const struct watch_exit *exit);

/* What only the program's run time knows and can do. All may be NULL; called on the watcher's
 * thread. */
struct watch_host {
    const char *process;            /* its name; NULL: as it was started. Borrowed while they run */
    bool (*attach)(void *context);  /* before all others; false: none of the others is called */
    void (*detach)(void *context);  /* the thread ends */
    char *(*stacks)(void *context); /* of all threads, as text; freed with free */
    /* Add the exits that were not told before: since exits_told was called last. */
    void (*exits)(void *context, struct watch_exits *exits);
    /* Those that were added are told: their issues are where they go, and outlive the process. */
    void (*exits_told)(void *context);
    /* The main loop stalls: which incident that is ("5f1c-17"), for the system to keep. */
    void (*note)(void *context, const char *incident);
    void *context;
};

/* From the next start on. NULL: none. */
WATCH_API void watch_set_host(const struct watch_host *host);

/* Which screen is shown ("": none in particular), and whether any is. Without a word the program is
 * in the foreground. */
WATCH_API void watch_scene(const char *name, bool is_foreground);

/* A program that has windows, each filling a screen (Android's Activities), tells what becomes of
 * them: then they say what is shown and whether anything is, and watch_scene names a part of the
 * one that is shown ("": none). id tells it from others, and is not 0. Times are CLOCK_MONOTONIC in
 * ns, here and in what follows; each of these calls takes a microsecond and a lock that is never
 * held for long. Told while the monitors do not run, it is forgotten. */
enum watch_window {
    WATCH_WINDOW_CREATED, /* has_state: with what an earlier one had left */
    WATCH_WINDOW_STARTED,
    WATCH_WINDOW_RESUMED,
    WATCH_WINDOW_PAUSED,
    WATCH_WINDOW_STOPPED,
    WATCH_WINDOW_DESTROYED,
    WATCH_WINDOW_DRAWN, /* for the first time */
    WATCH_WINDOW_FOCUSED,
    WATCH_WINDOW_UNFOCUSED
};

/* To be called by the thread of the main loop: a slow start is explained by its records. */
WATCH_API void watch_window(enum watch_window what, uint32_t id, const char *name, int64_t at_ns,
                            bool has_state);

/* How the program started. */
enum watch_app {
    WATCH_APP_PROCESS,   /* the process was started */
    WATCH_APP_REQUESTED, /* its start was asked for */
    WATCH_APP_FIRST,     /* its first record */
    WATCH_APP_INSTALLED, /* the monitors began; value: 1 if it was in the foreground */
    WATCH_APP_CREATED, /* the first message after the application was created; value: its number */
    WATCH_APP_REASON,  /* what the system says; value: 1 started for a window, 2 not */
    WATCH_APP_FULLY_DRAWN /* the program says that all is there */
};

WATCH_API void watch_app(enum watch_app what, int64_t at_ns, uint32_t value);

/* ---- Frames ---- */

/* One after another; the first six are the main loop's. */
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

/* Durations are 0 where they are not known. */
struct watch_frame {
    int64_t intended_ns;                  /* the vsync that it was wanted for */
    int64_t vsync_ns;                     /* the one it was drawn for; 0: the same */
    int64_t total_ns;                     /* from intended_ns until it was done */
    int64_t deadline_ns;                  /* from intended_ns until it had to be done */
    int64_t interval_ns;                  /* of the display */
    int64_t stages_ns[WATCH_STAGE_COUNT]; /* WATCH_STAGE_CUT: did not end */
    uint32_t lost;                        /* frames before it of which nothing was heard */
    bool is_first;                        /* of its window: tells nothing about how it is drawn */
};

/* A frame was drawn, from any thread, in order. False if its times cannot be. */
WATCH_API bool watch_frame(const struct watch_frame *frame);

/* For who shows beside the screen how it is drawn. Levels are those of Matrix: 0 best, normal,
 * middle, high, 4 frozen. */
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

/* The first call begins to count. False if the monitors do not run. */
WATCH_API bool watch_read_overlay(int64_t now_ns, struct watch_overlay *overlay);

/* ---- Issues ---- */

/* Borrowed: valid while it is handed over. */
struct watch_issue {
    const char *detail; /* NORMAL, LAG, ANR, HANG, OFTEN, CPU, FPS, START, STARTUP, or its own */
    const char *ended;  /* normal, unseen, stopped, killed */
    uint32_t loop;
    int64_t cost_ns;
    uint64_t key;     /* the same for issues that have the same cause; 0: unknown */
    const char *json; /* the whole issue, terminated */
    size_t json_size; /* without the end */
    const char *file; /* where it is; NULL: nowhere */
    bool is_reported; /* chosen for report (settings report, report_share, report_daily) */
};

/* Tell an issue of the program's own: it is written, counted, limited and heard as ours are, and
 * replayed. detail is 1 to 31 letters, digits, '_', '.' and '-', and none of ours. Issues of one
 * detail and key (at most 127 bytes; NULL: none) belong together. json is any JSON value of at most
 * 65,535 bytes; NULL: none. False, with a line in the log, if one is not so; without one if the
 * monitors do not run or 32 are on their way. The caller touches no file: if the process is killed
 * before the watcher, which is woken, has run, the issue is lost; watch_stop waits until it is
 * written. Not for signal handlers. */
WATCH_API bool watch_tell(const char *detail, const char *key, const char *json);

/* Hear of each issue, on a thread of ours that may be kept waiting. False if there are 8 listeners
 * already. The same pair is taken once. */
WATCH_API bool watch_listen(void (*heard)(void *context, const struct watch_issue *issue),
                            void *context);
/* When this returns the listener is not being called, unless by the calling thread. */
WATCH_API void watch_unlisten(void (*heard)(void *context, const struct watch_issue *issue),
                              void *context);

/* ---- Counters ---- */

/* Messages by their own length, by a clock that ticks each few ms: those of class 0 took less than
 * 2^23 ns (8.4 ms), those of class n less than 2^(23 + n) ns, those of the last class any time. */
#define WATCH_LENGTH_COUNT 16u
#define WATCH_LENGTH_SHIFT 23u

/* Of this process, over all starts. */
struct watch_counters {
    uint64_t issues;
    uint64_t looks;             /* wake-ups of the watcher */
    uint64_t messages;          /* that have ended, of all loops */
    uint64_t loops_left_out;    /* threads that found no place */
    uint64_t deep_messages;     /* nested deeper than 8: taken for a part of those around them */
    uint64_t ends_alone;        /* without a begin */
    uint64_t slow_left_out;     /* slow messages that found no place until the next look */
    uint64_t names_left_out;    /* texts that found no place */
    uint64_t answers_left_out;  /* questions that could not be answered */
    uint64_t news_left_out;     /* frames and windows: no room, or times that cannot be */
    uint64_t frames_left_out;   /* of those told, doubles and the first of each window */
    uint64_t starts_broken_off; /* the user left before they were over */
    uint64_t starts_unseen;     /* of the process, for something else than a window */
    uint64_t starts_odd;        /* took longer than start_most_ms, or less than nothing */
    uint64_t debugged;          /* issues not told, since a debugger was there */
    uint64_t pings;
    uint64_t pings_moot;   /* the loop had moved before they came back */
    uint64_t stale_stacks; /* of a message that was over */
    uint64_t starts;
    uint64_t lengths[WATCH_LENGTH_COUNT];
    int64_t gap_ns;    /* for which the watcher was stopped */
    int64_t latest_ns; /* how late it ever woke up, gaps excepted */
};

WATCH_API void watch_read_counters(struct watch_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
