/* Issues of the program's own: nothing is judged. */

#include "monitor/rules.h"

static void feed_own(void *state, const struct mon_event *event, const struct mon_context *context)
{
    struct mon_facts *facts = context->facts;

    (void)state;
    if (event->kind != MON_OWN) {
        return;
    }
    struct mon_issue issue = {
        .detail = MON_CUSTOM,
        .ended = MON_ENDED_NORMAL,
        .number = ++facts->last_number,
        .loop = event->loop,
        .begin_ns = event->at_ns,
        .end_ns = event->at_ns,
        .cpu_ns = -1,
        .is_foreground = facts->scene.is_foreground,
        .scene = facts->scene.name,
        .own = &event->own,
    };
    mon_tell(context, MON_ISSUE, &issue);
}

static int64_t own_next_ns(const void *state, const struct mon_context *context)
{
    (void)state;
    (void)context;
    return INT64_MAX;
}

const struct mon_rule mon_own_rule = {0, feed_own, own_next_ns};
