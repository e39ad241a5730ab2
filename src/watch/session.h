/* What came of one life of the monitors: how long messages were, in all and while each scene was shown.
 * Saved now and then, so that of a process that is killed no more than a minute is missing. */

#ifndef WATCH_SESSION_H
#define WATCH_SESSION_H

#include "monitor/monitor.h"
#include "watch/methodbeat_watch.h"

#define WATCH_SCENE_COUNT 32u /* more share the last place */

struct watch_scene_sum {
    uint32_t name; /* 0: none in particular */
    int64_t shown_ns;
    uint64_t lengths[WATCH_LENGTH_COUNT];
};

struct watch_session {
    int64_t begin_ns;
    int64_t begin_wall_ns;
    int64_t saved_ns;                    /* or began */
    uint64_t saved_messages;             /* of the process, then */
    int64_t since_ns;                    /* the present scene */
    uint64_t before[WATCH_LENGTH_COUNT]; /* messages before that */
    uint32_t shown;                      /* its name */
    uint32_t present;                    /* its place */
    uint32_t scene_count;
    struct watch_scene_sum scenes[WATCH_SCENE_COUNT];
};

/* Counters are those of the process so far. */
void watch_session_begin(struct watch_session *session, int64_t now_ns,
                         const struct watch_counters *counters);

/* When it is to be saved, as it is now: a second after its begin, then when it has lasted twice as long,
 * at the latest after a minute. INT64_MAX: there was no message since. */
int64_t watch_session_due_ns(const struct watch_session *session,
                             const struct watch_counters *counters);

/* Another scene is shown from now on. */
void watch_session_show(struct watch_session *session, uint32_t name, int64_t now_ns,
                        const struct watch_counters *counters);

/* How it ends, or goes on. */
struct watch_ending {
    bool is_over;
    int64_t now_ns;
    int64_t wall_ns; /* now */
    uint64_t start;  /* as incidents have it */
    const char *process;
    const struct watch_counters *process_counters; /* of all lives: messages */
    const struct watch_counters *counters;         /* of this one: all but messages */
};

/* Append it as one JSON object and a line end; then it is saved. */
void watch_session_put(struct mb_buf *out, struct watch_session *session,
                       const struct watch_ending *ending, const struct mon_names *names);

#endif
