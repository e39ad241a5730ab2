/* Inside src/watch: the watcher, its thread, and what its parts share.
 *
 *   wait --> look at the cells --> feed, TICK last --> answer the rules --> feed, TICK ... */

#ifndef WATCH_WATCHER_H
#define WATCH_WATCHER_H

#include "monitor/monitor.h"
#include "spool/spool.h"
#include "watch/cell.h"
#include "watch/eventfile.h"
#include "watch/exits.h"
#include "watch/methodbeat_watch.h"
#include "watch/names.h"
#include "watch/own.h"
#include "watch/process.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCH_QUESTION_COUNT 64u
#define WATCH_PLACE_COUNT 8u

/* What the watcher knows of a loop. */
struct watch_known {
    bool is_used;                               /* a thread had it */
    bool is_still;                              /* as at the look before */
    uint64_t sequence;                          /* at the last look */
    uint32_t place_count;                       /* ever */
    struct beat_here places[WATCH_PLACE_COUNT]; /* of positions that the rules were told */
};

/* What the rules asked, and nobody has answered. */
struct watch_question {
    enum mon_action_kind kind;
    uint32_t loop;
    uint32_t request;
    uint64_t position;
    uint64_t end_position;
    int64_t due_ns;
};

/* An issue's part of the trace, as it is marked there. */
#define WATCH_MARK_COUNT 16u /* of the newest issues: twice as many marks, half of all */
struct watch_range {
    uint32_t number; /* of its incident */
    struct beat_mark begin;
    struct beat_mark end; /* none while the stall is open: a process that dies leaves it so */
};

/* What other threads tell. */
struct watch_told {
    bool has_scene;
    bool is_foreground;
    char scene[WATCH_TEXT_SIZE];
    bool has_options;
    char option[64]; /* one at a time */
    char value[512];
    struct watch_own *own; /* an issue of the program's own, to be freed; NULL: none */
};

struct watch_watcher {
    struct mon_options options; /* as it began */
    struct watch_host host;
    bool has_host; /* attached */
    struct watch_names *names;
    struct mon_names view;
    struct mon *mon;
    struct mon_sink sink;
    struct watch_eventfile log;
    struct spool *spool; /* NULL: no memory for it */
    struct watch_exits exits;
    uint32_t noted; /* number of the incident that the system was told last */
    struct watch_known loops[WATCH_LOOP_COUNT];
    uint32_t question_count;
    struct watch_question questions[WATCH_QUESTION_COUNT];
    uint32_t mark_count; /* ever */
    struct watch_range marks[WATCH_MARK_COUNT];
    struct watch_process process;
    int64_t now_ns;     /* of this batch */
    int64_t planned_ns; /* when it was to wake up */
    int64_t blocked_ns; /* for which others kept it, in this batch */
    int64_t suspended_ns;
    int64_t cpu_ns; /* when the process's CPU time was told last */
    uint64_t answers_left_out;
    uint64_t looks;
    int64_t latest_ns;
};

/* ---- Looking (looks.c) ---- */

/* Feed what the cells hold. */
void watch_look_at_loops(struct watch_watcher *watcher);

/* What was told to a watcher that has ended. */
void watch_forget_slow(void);

/* No loop is inside a message, and none moved between the last two looks. */
bool watch_loops_rest(const struct watch_watcher *watcher);

/* The same at this moment, compared with the last look. */
bool watch_loops_are_unchanged(const struct watch_watcher *watcher);

/* Where the position is; the newest place of the loop if that is not known any more. */
struct beat_here watch_place_of(const struct watch_known *loop, uint64_t position);

/* ---- Answering (answers.c) ---- */

/* For struct mon_sink; context is the watcher. */
void watch_take_action(void *context, const struct mon_action *action);

/* Feed the answers to the questions that are due. False if there were none. */
bool watch_answer(struct watch_watcher *watcher);

/* When the first question is due; INT64_MAX: none waits. */
int64_t watch_answer_due_ns(const struct watch_watcher *watcher);

/* Mark an issue's part of the trace, by its incident; if it has one. Once it is noted, then its
 * end. */
void watch_mark(struct watch_watcher *watcher, const struct mon_issue *issue);

/* ---- The spool (spooling.c) ---- */

/* Without one, with a line in the log, nobody keeps issues. */
void watch_open_spool(struct watch_watcher *watcher);

/* See to it that what earlier processes could not publish is; then feed how they ended. */
void watch_feed_left(struct watch_watcher *watcher);

/* A note or an issue, on its way to who keeps it. */
void watch_hand_over(struct watch_watcher *watcher, const struct mon_action *action);

/* Waits for what is being written, but no longer than two seconds. */
void watch_close_spool(struct watch_watcher *watcher);

/* ---- All ---- */

void watch_feed(struct watch_watcher *watcher, const struct mon_event *event);

/* ---- The thread (watcher.c) ---- */

/* What the thread needs from who started it. */
struct watch_orders {
    struct mon_options options;
    struct watch_host host;
    _Atomic(bool) *stop;
    /* Take what was told since the last call. False: nothing was. */
    bool (*take)(struct watch_told *told);
    /* Counters of this watcher at the end of a batch; the other ones are 0. */
    void (*count)(const struct watch_counters *counters);
};

/* NULL, with a line in the log, if it cannot be had. */
struct watch_watcher *watch_watcher_create(const struct watch_orders *orders);

/* Until orders say stop. */
void watch_watcher_run(struct watch_watcher *watcher, const struct watch_orders *orders);
void watch_watcher_destroy(struct watch_watcher *watcher);

/* In a forked child: let go of the parent's files. */
void watch_watcher_forked(struct watch_watcher *watcher);

#endif
