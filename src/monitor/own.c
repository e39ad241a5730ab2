/* Issues of the program's own: nothing is judged. */

#include "monitor/rules.h"

/* A note first: until it is written it may wait for others. */
static void tell(const struct mon_event *event, const struct mon_context *context)
{
    struct mon_facts *facts = context->facts;
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

    mon_tell(context, MON_NOTE, &issue);
    mon_tell(context, MON_ISSUE, &issue);
}

static void feed_own(void *state, const struct mon_event *event, const struct mon_context *context)
{
    (void)state;
    if (event->kind == MON_OWN) {
        tell(event, context);
    }
}

static int64_t own_next_ns(const void *state, const struct mon_context *context)
{
    (void)state;
    (void)context;
    return INT64_MAX;
}

const struct mon_rule mon_own_rule = {0, feed_own, own_next_ns};
