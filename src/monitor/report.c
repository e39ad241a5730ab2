/* Issues of the program's own: nothing is judged. */

#include "monitor/rules.h"

/* A note first: until it is written it may wait for others. */
static void emit_issue(const struct mon_event *event, const struct mon_context *context)
{
    struct mon_facts *facts = context->facts;
    struct mon_issue issue = {
        .detail = MON_CUSTOM,
        .ended = MON_ENDED_NORMAL,
        .span.number = ++facts->last_number,
        .span.loop = event->loop,
        .span.begin_ns = event->at_ns,
        .span.end_ns = event->at_ns,
        .cpu_ns = -1,
        .is_foreground = facts->scene.is_foreground,
        .scene = facts->scene.name,
        .report = &event->report,
    };

    mon_emit(context, MON_NOTE, &issue);
    mon_emit(context, MON_ISSUE, &issue);
}

static void feed_report(void *state, const struct mon_event *event,
                        const struct mon_context *context)
{
    (void)state;
    if (event->kind == MON_REPORT) {
        emit_issue(event, context);
    }
}

const struct mon_rule mon_report_rule = {0, feed_report, NULL};
