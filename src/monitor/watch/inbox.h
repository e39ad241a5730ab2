/* Events from other threads on their way to the watcher, first in, first out; and the overlay,
 * which takes its frames from here; and issues that the program reports itself. */

#ifndef MONITOR_WATCH_INBOX_H
#define MONITOR_WATCH_INBOX_H

#include "monitor/monitor.h"
#include "monitor/watch/cell.h"
#include "monitor/watch/loops.h"

#include <stdint.h>

/* An event and its texts. */
struct watch_event {
    int64_t at_ns;
    enum mon_kind kind; /* SCENE, WINDOW, APP, FRAME, OPTION, OWN */
    union {
        struct mon_scene scene;
        struct mon_window window;
        struct mon_app app;
        struct mon_frame frame;
    };
    char name[WATCH_TEXT_SIZE]; /* of the scene, window or option */
    void *owned;                /* OPTION: its value; OWN: struct watch_custom; else NULL */
};

/* Begin to take events; stop, and drop the events that wait. */
void watch_inbox_open(const struct mon_options *options);
void watch_inbox_close(void);

/* Add a copy; name may be NULL. If true, owned is the inbox's. False if the inbox is closed or
 * full, or if the time is impossible: then the event is dropped and, unless it owns something,
 * counted. */
bool watch_inbox_put(const struct watch_event *event, const char *name);

/* The caller frees owned. False if the inbox is empty. */
bool watch_inbox_take(struct watch_event *event);

/* Events dropped so far. */
uint64_t watch_inbox_dropped(void);

/* In a forked child: the events are the parent's. */
void watch_inbox_forget(void);

/* ---- Custom issues ---- */

#define WATCH_CUSTOM_DETAIL_SIZE 32u  /* with its end */
#define WATCH_CUSTOM_JSON_SIZE 65536u /* with its end */

struct watch_custom {
    int64_t at_ns;
    char thread[WATCH_LOOP_NAME_SIZE];
    const char *detail; /* these texts follow the struct */
    const char *key;    /* "" if none */
    const char *json;   /* "" if none */
};

/* An issue that the calling thread reports now. Texts are copied; key and json may be NULL. NULL,
 * with a line in the log, if a text breaks the rules of methodbeat_watch.h or without memory. Free
 * with free. */
struct watch_custom *watch_custom_create(const char *detail, const char *key, const char *json);

#endif
