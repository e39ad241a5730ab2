/* methodbeat top, internals: a trace that is watched, whatever shows it. */

#ifndef LIVE_WATCH_H
#define LIVE_WATCH_H

#include "live/recent.h"
#include "live/table.h"

struct live_sort {
    char key;
    const char *name;
    enum live_order order;
};

/* By name and by key; the first is what is shown without asking. */
extern const struct live_sort live_sorts[];
extern const size_t live_sort_count;

/* What is watched, and how. */
struct live_watch_wish {
    const struct answer_source *source; /* borrowed */
    const struct live_sort *order;
    void (*renew)(void *context); /* have the path lead to what is written now; or NULL */
    void *context;
};

struct live_watch {
    struct answer_source source; /* borrowed */
    void (*renew)(void *context);
    void *context;
    struct live_trace live;
    struct live_snapshot snapshots[2];
    size_t newest;                 /* of snapshots */
    struct live_recent recent;     /* from the older snapshot to the newest */
    const struct live_sort *order; /* of its methods */
    bool has_table;                /* recent tells of something, */
    bool has_news;                 /* and the last step found it */
    bool is_new;                   /* the last step found another recording in the place of the
                                    * one before */
};

/* Open the trace and take the first snapshot. What is over already is told from its beginning.
 * Finish also after failure. */
MB_MUST_CHECK enum mb_status live_watch_begin(struct live_watch *watch,
                                              const struct live_watch_wish *wish,
                                              struct mb_error *err);

/* Take another, and compare it with the one before. */
MB_MUST_CHECK enum mb_status live_watch_step(struct live_watch *watch, struct mb_error *err);

/* Take another, and forget what was before. */
MB_MUST_CHECK enum mb_status live_watch_restart(struct live_watch *watch, struct mb_error *err);

/* Compare the same once more: order or focus is another. */
MB_MUST_CHECK enum mb_status live_watch_compare(struct live_watch *watch, struct mb_error *err);

/* True if nothing can follow. */
bool live_watch_is_over(const struct live_watch *watch);

/* What there is to show; borrowed until the next step. */
struct live_facts live_watch_facts(const struct live_watch *watch);

void live_watch_finish(struct live_watch *watch);

/* ---- The terminal (screen.c) ---- */

struct live_screen_wish {
    int64_t interval_ns;
    bool has_threads; /* begin with threads instead of methods */
    bool has_colour;
};

/* Show the trace until somebody quits, a signal asks to stop, or the terminal goes. The terminal
 * is as it was afterwards. */
MB_MUST_CHECK enum mb_status live_show_screen(struct live_watch *watch,
                                              const struct live_screen_wish *wish,
                                              struct mb_error *err);

#endif
