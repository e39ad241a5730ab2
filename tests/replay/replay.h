/* Re-runs the rules of src/monitor over an event log: the same log gives the same issues. */

#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "monitor/monitor.h"

/* "name", "value": settings that override those of the log. Borrowed. */
struct replay_setting {
    const char *name;
    const char *value;
};

/* The receiver. Arguments are valid during the call; each function may be NULL. */
struct replay_visitor {
    void (*issue)(void *context, const struct mon_issue *issue, const struct mon_names *names,
                  const struct mon_options *options);
    /* Before the event is fed. */
    void (*event)(void *context, const struct mon_event *event, const struct mon_names *names,
                  const struct mon_options *options);
    void *context;
};

struct replay;

/* NULL when out of memory. settings must be such as mon_options_set takes. Free with
 * replay_destroy, which accepts NULL. */
struct replay *replay_create(const struct replay_visitor *visitor,
                             const struct replay_setting *settings, size_t setting_count);
void replay_destroy(struct replay *replay);

/* Read a whole file of a log, after its earlier files. A last line without an end was cut off when
 * the writer died, and is dropped. path is for messages. MB_BAD_TEXT with path and line: not an
 * event log, or of an unknown version. */
MB_MUST_CHECK enum mb_status replay_text(struct replay *replay, struct mb_text text,
                                         const char *path, struct mb_error *err);

#endif
