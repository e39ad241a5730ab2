/* Monitors that run inside a program and speak up by themselves: slow messages, loops that lag, do not
 * respond or hang, with the stack that explains them, and a process that keeps its processors busy.
 *
 *     watch_start();
 *     for (;;) {
 *         int count = epoll_wait(...);
 *         watch_begin();
 *         handle(count);
 *         watch_end();
 *     }
 *
 * Settings are those of `methodbeat help` (METHODBEAT_EVIL_MS=300 in the environment, or watch_set).
 * Every function may be called from any thread at any time, in any order. Nothing here ends the
 * program or waits for a disk but watch_stop; what cannot be had leaves the monitors off, with one
 * line to stderr. A forked child is not watched until it calls watch_start itself. */

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

/* Set an option by its name or by Matrix's key, now or for the next start; wins over the environment.
 * False, with a line in the log, if there is no such option or it takes no such value. spool,
 * event_log and device are those of the next start. */
WATCH_API bool watch_set(const char *name, const char *value);

/* True if the monitors run. Does nothing if they do already. */
WATCH_API bool watch_start(void);

/* Stalls that are open end here. Returns when all is written; at once when called by a listener. */
WATCH_API void watch_stop(void);

WATCH_API bool watch_is_running(void);

/* Where lines for people go; NULL: stderr. Must not call back. */
WATCH_API void watch_log_to(void (*log)(const char *line));

/* ---- Loops ---- */

/* A message of the calling thread's loop begins, ends. The first one makes the thread a loop's; at most
 * 16 at a time, more are counted and left out. They may be nested. An end without a begin is ignored.
 * No allocation, lock or system call, but one wake-up of the watcher where all loops rested. */
WATCH_API void watch_begin(void);
WATCH_API void watch_end(void);

/* The same end, of a message that can say what it was: describe is called, on this thread, only if it
 * was slow. NULL: unknown. The text is copied, its first 127 bytes. */
WATCH_API void watch_end_as(const char *(*describe)(void *context), void *context);

/* How many messages of the calling thread are open; end those above depth, because what ran them was
 * left by a throw or longjmp. */
WATCH_API uint32_t watch_depth(void);
WATCH_API void watch_unwind(uint32_t depth);

/* Where a stack goes. Valid while it is asked for. */
struct watch_stack;

/* Innermost first; the first 64 are kept. The text is copied. */
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

/* What only the program's run time knows and can do. All may be NULL; called on the watcher's thread. */
struct watch_host {
    const char *process;            /* its name; NULL: as it was started. Borrowed while they run */
    bool (*attach)(void *context);  /* before all others; false: none of the others is called */
    void (*detach)(void *context);  /* the thread ends */
    char *(*stacks)(void *context); /* of all threads, as text; freed with free */
    void *context;
};

/* From the next start on. NULL: none. */
WATCH_API void watch_set_host(const struct watch_host *host);

/* Which screen is shown ("": none in particular), and whether any is. Without a word the program is in
 * the foreground. */
WATCH_API void watch_scene(const char *name, bool is_foreground);

/* ---- Issues ---- */

/* Borrowed: valid while it is handed over. */
struct watch_issue {
    const char *detail; /* NORMAL, LAG, ANR, HANG, OFTEN, CPU, or the program's own */
    const char *ended;  /* normal, unseen, stopped, killed */
    uint32_t loop;
    int64_t cost_ns;
    uint64_t key;     /* the same for issues that have the same cause; 0: unknown */
    const char *json; /* the whole issue, terminated */
    size_t json_size; /* without the end */
    const char *file; /* where it is; NULL: nowhere */
    bool is_reported; /* chosen for report (settings report, report_share, report_daily) */
};

/* Tell an issue of the program's own: it is written, counted, limited and heard as ours are, and replayed.
 * detail is 1 to 31 letters, digits, '_', '.' and '-', and none of ours. Issues of one detail and key (at most 127
 * bytes; NULL: none) belong together. json is any JSON value of at most 65,535 bytes; NULL: none. False,
 * with a line in the log, if one is not so; without one if the monitors do not run or 32 are on their
 * way. Not for signal handlers. */
WATCH_API bool watch_tell(const char *detail, const char *key, const char *json);

/* Hear of each issue, on a thread of ours that may be kept waiting. False if there are 8 listeners
 * already. The same pair is taken once. */
WATCH_API bool watch_listen(void (*heard)(void *context, const struct watch_issue *issue),
                            void *context);
/* When this returns the listener is not being called, unless by the calling thread. */
WATCH_API void watch_unlisten(void (*heard)(void *context, const struct watch_issue *issue),
                              void *context);

/* ---- Counters ---- */

/* Of this process, over all starts. */
struct watch_counters {
    uint64_t issues;
    uint64_t looks;            /* wake-ups of the watcher */
    uint64_t messages;         /* that have ended, of all loops */
    uint64_t loops_left_out;   /* threads that found no place */
    uint64_t deep_messages;    /* nested deeper than 8: taken for a part of those around them */
    uint64_t ends_alone;       /* without a begin */
    uint64_t slow_left_out;    /* slow messages that found no place until the next look */
    uint64_t names_left_out;   /* texts that found no place */
    uint64_t answers_left_out; /* questions that could not be answered */
    uint64_t debugged;         /* issues not told, since a debugger was there */
    uint64_t pings;
    uint64_t pings_moot;   /* the loop had moved before they came back */
    uint64_t stale_stacks; /* of a message that was over */
    uint64_t starts;
    int64_t gap_ns;    /* for which the watcher was stopped */
    int64_t latest_ns; /* how late it ever woke up, gaps excepted */
};

WATCH_API void watch_read_counters(struct watch_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
