/* What other threads tell of windows, the program's start and frames, on its way to the watcher;
 * and what is shown beside a screen, which takes frames from here. */

#ifndef WATCH_NEWS_H
#define WATCH_NEWS_H

#include "monitor/monitor.h"
#include "watch/cell.h"

/* An event and the text of its name. */
struct watch_news {
    int64_t at_ns;
    enum mon_kind kind; /* SCENE, WINDOW, APP, FRAME */
    union {
        struct mon_scene scene;
        struct mon_window window;
        struct mon_app app;
        struct mon_frame frame;
    };
    char name[WATCH_TEXT_SIZE];
};

/* From now on news are taken, or not any more; what nobody took is forgotten. */
void watch_news_begin(const struct mon_options *options);
void watch_news_end(void);

/* The next one; false if there is none. */
bool watch_news_take(struct watch_news *news);

/* Add one; name may be NULL. Forgotten, and counted, if there is no room or its time cannot be. */
void watch_news_add(const struct watch_news *news, const char *name);

uint64_t watch_news_left_out(void);

/* In a forked child. */
void watch_news_forget(void);

#endif
