/* A trace that is watched: snapshots of it, compared in turn, whatever shows them. */

#ifndef LIVE_WATCH_H
#define LIVE_WATCH_H

#include "live/table.h"

struct live_watch;

struct live_sort {
    char key;
    const char *name;
    enum live_order order;
};

/* By name and by key; the first is what is shown without asking. */
extern const struct live_sort live_sorts[];
extern const size_t live_sort_count;

/* What is watched, and how. All borrowed. */
struct live_watch_wish {
    const struct answer_source *source;
    const struct live_sort *sort;
    void (*renew)(void *context); /* have the path lead to what is written now; or NULL */
    void *context;
};

/* What the last step found. */
struct live_news {
    bool is_new_table;     /* there is a table that was not shown yet */
    bool is_new_recording; /* in the place of the one before */
};

/* Open the trace and take the first snapshot. What is over already is told from its beginning.
 * Finish also after failure: *watch is NULL or can be finished. */
MB_MUST_CHECK enum mb_status live_watch_open(struct live_watch **watch,
                                             const struct live_watch_wish *wish,
                                             struct mb_error *err);

/* Take another, and compare it with the one before. */
MB_MUST_CHECK enum mb_status live_watch_step(struct live_watch *watch, struct mb_error *err);

/* Take another, and forget what was before. */
MB_MUST_CHECK enum mb_status live_watch_restart(struct live_watch *watch, struct mb_error *err);

/* Show the methods in another order, or the calls of another method (LIVE_NO_METHOD: none), of the
 * same time. */
MB_MUST_CHECK enum mb_status live_watch_sort(struct live_watch *watch, const struct live_sort *sort,
                                             struct mb_error *err);
MB_MUST_CHECK enum mb_status live_watch_focus(struct live_watch *watch, uint32_t id,
                                              struct mb_error *err);

struct live_news live_watch_news(const struct live_watch *watch);

/* True if nothing can follow. */
bool live_watch_is_over(const struct live_watch *watch);

/* What there is to show, borrowed until the next step; recent is NULL before there is anything. */
struct live_facts live_watch_facts(const struct live_watch *watch);

/* Accepts NULL. */
void live_watch_finish(struct live_watch *watch);

#endif
