/* methodbeat top, internals: a trace that is watched, whatever shows it. */

#ifndef LIVE_WATCH_H
#define LIVE_WATCH_H

#include "live/recent.h"
#include "live/table.h"

struct top_order {
    char key;
    const char *name;
    enum answer_recent_order order;
};

/* By name and by key; the first is what is shown without asking. */
extern const struct top_order cli_top_orders[];
extern const size_t cli_top_order_count;

/* What is watched, and how. */
struct top_watch_wish {
    const struct answer_source *source; /* borrowed */
    const struct top_order *order;
    void (*renew)(void *context); /* have the path lead to what is written now; or NULL */
    void *context;
};

struct top_watch {
    struct answer_source source; /* borrowed */
    void (*renew)(void *context);
    void *context;
    struct answer_live live;
    struct answer_look looks[2];
    size_t newest;                 /* of looks */
    struct answer_recent recent;   /* from the older look to the newest */
    const struct top_order *order; /* of its methods */
    bool has_table;                /* recent tells of something, */
    bool has_news;                 /* and the last step found it */
    bool is_new;                   /* the last step found another recording in the place of the
                                    * one before */
};

/* Open the trace and take the first look. What is over already is told from its beginning. Finish
 * also after failure. */
MB_MUST_CHECK enum mb_status cli_top_begin(struct top_watch *watch,
                                           const struct top_watch_wish *wish, struct mb_error *err);

/* Look again, and compare with the look before. */
MB_MUST_CHECK enum mb_status cli_top_step(struct top_watch *watch, struct mb_error *err);

/* Look again, and forget what was before. */
MB_MUST_CHECK enum mb_status cli_top_restart(struct top_watch *watch, struct mb_error *err);

/* Compare the same looks once more: order or focus is another. */
MB_MUST_CHECK enum mb_status cli_top_compare(struct top_watch *watch, struct mb_error *err);

/* True if nothing can follow. */
bool cli_top_is_over(const struct top_watch *watch);

/* What there is to show; borrowed until the next step. */
struct format_live cli_top_facts(const struct top_watch *watch);

void cli_top_finish(struct top_watch *watch);

/* ---- The terminal (screen.c) ---- */

struct top_screen_wish {
    int64_t interval_ns;
    bool has_threads; /* begin with threads instead of methods */
    bool has_colour;
};

/* Show the trace until somebody quits, a signal asks to stop, or the terminal goes. The terminal
 * is as it was afterwards. */
MB_MUST_CHECK enum mb_status cli_top_show_screen(struct top_watch *watch,
                                                 const struct top_screen_wish *wish,
                                                 struct mb_error *err);

#endif
