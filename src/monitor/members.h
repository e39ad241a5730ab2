/* Inside src/monitor: an issue as the members of a JSON object. */

#ifndef MONITOR_MEMBERS_H
#define MONITOR_MEMBERS_H

#include "base/clock.h"
#include "base/json.h"
#include "monitor/monitor.h"

/* One issue at work. */
struct mon_writing {
    struct mb_json json;
    const struct mon_issue *issue;
    const struct mon_names *names;
    const struct mon_options *options;
};

static inline int64_t mon_ms(int64_t ns)
{
    return ns / MB_NS_PER_MS;
}

static inline struct mb_text mon_writing_name(const struct mon_writing *w, uint32_t name)
{
    return mon_name(w->names, name);
}

/* NULL: nothing was seen. */
static inline const struct mon_frames *mon_hottest_frames(const struct mon_issue *issue)
{
    return issue->hottest != NULL ? issue->hottest->frames : NULL;
}

/* A frame as a part of a string that is being written. */
void mon_put_frame(struct mon_writing *w, const struct mon_frames *frames, uint32_t index);

/* A stall during which the process died counts, however long it was. */
static inline bool mon_is_anr(const struct mon_issue *issue)
{
    return issue->detail == MON_ANR || issue->detail == MON_HANG || issue->detail == MON_EXIT_ANR ||
           (issue->detail == MON_LAG && issue->ended == MON_ENDED_KILLED);
}

/* Matrix's members: the keys of NORMAL, and those of LAG and ANR beside them, so that tools that
 * group slow messages by key find stalls, too. detail: Matrix's name. */
void mon_put_matrix_members(struct mon_writing *w, const char *detail);

/* What Matrix's members lack, below methodbeat's own key. */
void mon_put_own_members(struct mon_writing *w);

#endif
