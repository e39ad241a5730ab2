/* Custom issues: the program reports them itself. */

#ifndef MONITOR_WATCH_CUSTOM_H
#define MONITOR_WATCH_CUSTOM_H

#include "monitor/watch/loops.h"

#include <stdint.h>

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
