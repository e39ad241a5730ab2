/* What came of one life of the monitors: how long messages were, in all and while each scene was shown. */

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

/* Another scene is shown from now on. */
void watch_session_show(struct watch_session *session, uint32_t name, int64_t now_ns,
                        const struct watch_counters *counters);

/* How it ends. */
struct watch_ending {
    int64_t now_ns;
    int64_t wall_ns; /* now */
    uint64_t start;  /* as incidents have it */
    const char *process;
    const struct watch_counters *process_counters; /* of all lives: messages */
    const struct watch_counters *counters;         /* of this one: all but messages */
};

/* Append it as one JSON object and a line end. */
void watch_session_put(struct mb_buf *out, struct watch_session *session,
                       const struct watch_ending *ending, const struct mon_names *names);

#endif
