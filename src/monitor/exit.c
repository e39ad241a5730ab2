/* Reports an earlier process that the system ended because it did not respond, if it left no stall.
 * The incident is the same in every process that reports it. */

#include "monitor/rules.h"

static void feed_exit(void *state, const struct mon_event *event, const struct mon_context *context)
{
    (void)state;
    if (event->kind != MON_EXIT) {
        return;
    }
    struct mon_issue issue = {
        .detail = MON_EXIT_ANR,
        .ended = MON_ENDED_KILLED,
        .start = (uint64_t)event->exit.wall_ns,
        .span.number = event->exit.pid,
        .span.loop = event->loop,
        .cpu_ns = -1,
        .is_foreground = true,
        .all_stacks = event->exit.trace,
        .exit = &event->exit,
    };
    mon_emit(context, MON_ISSUE, &issue);
}

const struct mon_rule mon_exit_rule = {0, feed_exit, NULL};
