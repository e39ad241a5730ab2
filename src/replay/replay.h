/* Tells the rules of src/monitor again what an event log says that they were told: the same log
 * gives the same issues. */

#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "monitor/monitor.h"

/* "name", "value": what options are whatever the log says. Borrowed. */
struct replay_setting {
    const char *name;
    const char *value;
};

/* Who hears of it. Arguments are valid during the call; each function may be NULL. */
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

/* Read a whole file of a log; the files of one log follow each other. A last line without its end
 * was cut off by the writer's death, and is left out. path is for messages. MB_BAD_TEXT with path
 * and line: no event log, or not one we know. */
MB_MUST_CHECK enum mb_status replay_text(struct replay *replay, struct mb_text text,
                                         const char *path, struct mb_error *err);

#endif
