/* Issues of the program's own, on their way to the watcher. */

#ifndef WATCH_OWN_H
#define WATCH_OWN_H

#include "watch/loops.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCH_OWN_COUNT 32u        /* that wait for the watcher */
#define WATCH_OWN_DETAIL_SIZE 32u  /* with its end */
#define WATCH_OWN_JSON_SIZE 65536u /* with its end */

struct watch_own {
    int64_t at_ns;
    char thread[WATCH_LOOP_NAME_SIZE];
    const char *detail; /* behind this struct; "": none, but for the detail */
    const char *key;
    const char *json;
    struct watch_own *next;
};

/* Told by the calling thread, now; the texts are copied, key and json may be NULL. NULL, with a
 * line in the log, if one is not as methodbeat_watch.h has it, or without memory. Freed with
 * free. */
struct watch_own *watch_own_create(const char *detail, const char *key, const char *json);

/* First in, first out. */
struct watch_owns {
    struct watch_own *first;
    struct watch_own **end; /* of no use while it is empty */
    uint32_t count;
};

/* Takes it over; false if too many wait. */
bool watch_owns_put(struct watch_owns *owns, struct watch_own *own);

/* NULL: none is left. */
struct watch_own *watch_owns_take(struct watch_owns *owns);

#endif
