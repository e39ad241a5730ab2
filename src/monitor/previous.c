/* The stall that was open when the last process of this name died: told by the next one. */

#include "monitor/rules.h"

static void feed_previous(void *state, const struct mon_event *event,
                          const struct mon_context *context)
{
    const struct mon_previous *previous = &event->previous;

    (void)state;
    if (event->kind != MON_PREVIOUS || previous->detail < MON_LAG || previous->detail > MON_HANG) {
        return;
    }
    const struct mon_hottest hottest = {.frames =
                                            previous->frames.count > 0 ? &previous->frames : NULL};
    const struct mon_trace trace = {
        .key = previous->key, .is_lapped = previous->is_lapped, .items = previous->items};
    struct mon_issue issue = {
        .detail = (enum mon_detail)previous->detail,
        .ended = previous->is_over ? MON_ENDED_NORMAL : MON_ENDED_KILLED,
        .start = previous->start,
        .number = previous->number,
        .loop = event->loop,
        .loop_name = previous->loop_name,
        .end_ns = previous->watched_ns + previous->gap_ns,
        .cost_ns = previous->watched_ns + previous->gap_ns,
        .watched_ns = previous->watched_ns,
        .cpu_ns = -1,
        .is_foreground = previous->is_foreground,
        .message = previous->message,
        .scene = previous->scene,
        .hottest = &hottest,
        .trace = previous->items.count > 0 ? &trace : NULL,
        .wall_begin_ns = previous->wall_ns,
        .reason = previous->reason,
        .is_confirmed = previous->is_confirmed,
    };
    mon_tell(context, MON_ISSUE, &issue);
}

static int64_t previous_next_ns(const void *state, const struct mon_context *context)
{
    (void)state;
    (void)context;
    return INT64_MAX;
}

const struct mon_rule mon_previous_rule = {0, feed_previous, previous_next_ns};
