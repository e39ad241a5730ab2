/* A trace that is watched: snapshots of it, compared in turn, whatever shows them. */

#ifndef JVMS_LIVE_WATCH_H
#define JVMS_LIVE_WATCH_H

#include "jvms/live/recent.h"

/* What happened since the last snapshot of a trace (jvms/live/recent.h), as lines of text: for a
 * log, or for a screen of a certain size. */

enum live_view {
    LIVE_METHODS,
    LIVE_THREADS,
    LIVE_CALLS, /* callers and callees of recent->focus */
};

/* All borrowed. */
struct live_facts {
    const struct live_recent *recent; /* sorted; NULL: nothing yet */
    struct answer_names names;
    struct mb_text process;
    uint32_t process_id;
    const char *order; /* what the methods are sorted by, in a word */
};

struct live_layout {
    enum live_view view;
    size_t columns; /* of a line; 0: any */
    size_t rows; /* of the whole, 3 or more; 0: as many as there are, and not more than top of the
                    table */
    size_t top;
    size_t first;     /* the first row of the table that is shown */
    size_t selected;  /* a row of the table that stands out; SIZE_MAX: none */
    const char *last; /* the last line, of a screen; NULL if none */
    bool colour;
};

/* Rows of the table that such a layout has, and how many of them it shows at a time. */
size_t live_table_count(const struct live_facts *live, enum live_view view);
size_t live_table_page(const struct live_facts *live, const struct live_layout *layout);

/* The method that a row is about, or LIVE_NO_METHOD; the row of a method among LIVE_METHODS, or
 * SIZE_MAX. */
uint32_t live_table_method(const struct live_facts *live, enum live_view view, size_t row);
size_t live_table_find(const struct live_facts *live, uint32_t id);

/* Append lines, each with its line end, none longer than the layout's columns. */
void live_put_table(struct mb_buf *out, const struct live_facts *live,
                    const struct live_layout *layout);

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

/* A trace that is watched on a terminal, with keys. */

struct live_screen_wish {
    int64_t interval_ns;
    bool has_threads; /* begin with threads instead of methods */
    bool has_colour;
};

/* Can standard input and output be such a screen? */
bool live_screen_is_possible(void);

/* Show the trace until the user quits, a signal asks to stop, or the terminal goes. The terminal
 * is as it was afterwards. */
MB_MUST_CHECK enum mb_status live_show_screen(struct live_watch *watch,
                                              const struct live_screen_wish *wish,
                                              struct mb_error *err);

#endif
