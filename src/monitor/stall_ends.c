#include "monitor/classes.h"
#include "monitor/stall.h"

#include <string.h>

/* ---- Ends ---- */

static struct mon_incident *find_stretch(const struct mon_work *w, int64_t since_ns)
{
    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        struct mon_incident *incident = &w->state->incidents[i];
        if ((incident->state == MON_INCIDENT_OPEN || incident->state == MON_INCIDENT_MOVED) &&
            incident->span.loop == w->event->loop && incident->since_ns == since_ns &&
            !incident->span.is_outside) {
            return incident;
        }
    }
    return NULL;
}

static void tell_often(const struct mon_work *w, uint32_t limit)
{
    const struct mon_facts *facts = w->context->facts;
    const struct mon_options *options = w->context->options;
    const struct mon_often *often = &w->state->often;
    const struct mon_hottest hottest = {.frames = mon_often_stack(often, limit, options)};
    struct mon_issue issue = {
        .detail = MON_OFTEN,
        .span.number = ++w->context->facts->last_number,
        .span.loop = w->event->loop,
        .span.end_ns = w->event->at_ns,
        .cpu_ns = -1,
        .is_foreground = facts->scene.is_foreground,
        .span.loop_name = w->loop->poll.name,
        .scene = facts->scene.name,
        .hottest = &hottest,
        .limit = options->often.limits[limit],
        .window_ns = mon_ns(options->often_window_ms),
    };

    mon_often_times(often, limit, options, &issue.span.begin_ns, &issue.span.watched_ns);
    issue.cost_ns = issue.span.watched_ns;
    if (facts->process.is_debugged) {
        w->context->facts->counters.debugged++;
        return;
    }
    mon_emit(w->context, MON_ISSUE, &issue);
}

static void count_often(const struct mon_work *w, const struct mon_incident *incident,
                        int64_t length_ns, bool is_told)
{
    const struct mon_options *options = w->context->options;
    struct mon_often *often = &w->state->often;
    struct mon_hottest hottest = {0};

    if (!w->context->facts->scene.is_foreground) {
        return;
    }
    if (incident != NULL) {
        mon_find_hottest(&incident->samples, w->event->at_ns, &w->context->facts->gaps, &hottest);
    }
    const struct mon_often_stall stall = {
        .end_ns = w->event->at_ns,
        .length_ns = length_ns,
        .frames = hottest.frames,
        .key = hottest.frames != NULL ? mon_top(hottest.frames, w->context->names) : 0,
        .is_told = is_told,
    };
    uint32_t reached = mon_often_add(often, &stall, options);
    for (uint32_t i = 0; i < options->often.count; i++) {
        if ((reached >> i & 1) != 0) {
            tell_often(w, i);
        }
    }
}

/* SLOW is more exact than the polls. */
static void fill_in(struct mon_incident *incident, const struct mon_event *event,
                    const struct mon_lengths *lengths, enum mon_detail detail)
{
    const struct mon_slow *slow = &event->slow;

    incident->span.end_ns = event->at_ns;
    incident->span.message = slow->message;
    incident->span.end_position = slow->end_position;
    incident->span.watched_ns = lengths->stretch_ns;
    mon_incident_cpu(incident, event->at_ns, slow->cpu_ns);
    if (detail == MON_NORMAL) {
        incident->span.begin_ns = slow->begin_ns;
        incident->nested_ns = slow->nested_ns;
        incident->span.position = slow->position;
        incident->span.watched_ns = lengths->own_ns;
    }
}

void mon_stall_slow(const struct mon_work *w)
{
    const struct mon_slow *slow = &w->event->slow;
    struct mon_lengths lengths =
        mon_measure(&w->loop->messages, slow, w->event->at_ns, &w->context->facts->gaps);
    struct mon_incident *incident = find_stretch(w, slow->stretch_ns);
    bool is_foreground =
        incident != NULL ? incident->scene.is_foreground : w->context->facts->scene.is_foreground;
    enum mon_detail detail = mon_judge(w->context->options, &lengths, is_foreground);

    if (w->event->at_ns > w->loop->ended_ns) {
        w->loop->ended_ns = w->event->at_ns;
    }
    count_often(w, incident, lengths.stretch_ns, detail != MON_NOTHING);
    if (incident == NULL && detail == MON_NOTHING) {
        return;
    }
    if (incident == NULL) {
        incident = mon_stall_add(w, slow->stretch_ns);
        incident->span.position = slow->position;
    }
    fill_in(incident, w->event, &lengths, detail);
    mon_stall_close(w, incident, detail, MON_ENDED_NORMAL);
}

void mon_stall_pong(const struct mon_work *w)
{
    struct mon_loop *loop = w->loop;
    struct mon_incident *incident = loop->current;

    if (loop->ping_request == 0 || w->event->request != loop->ping_request) {
        return;
    }
    loop->ping_request = 0;
    loop->ping_is_back = true;
    if (incident != NULL && incident->span.is_outside) {
        incident->span.end_ns = w->event->at_ns;
        incident->span.watched_ns = mon_stall_watched(w, incident, w->event->at_ns);
        count_often(w, incident, incident->span.watched_ns, true);
        mon_stall_close(w, incident,
                        mon_judge_stall(w->context->options, incident->span.watched_ns,
                                        incident->scene.is_foreground),
                        MON_ENDED_NORMAL);
    }
}

/* ---- Stopping ---- */

static void stop_incident(const struct mon_work *w, struct mon_incident *incident)
{
    struct mon_lengths lengths;

    if (incident->state != MON_INCIDENT_MOVED) {
        incident->span.end_ns = w->event->at_ns;
    }
    lengths.stretch_ns = mon_stall_watched(w, incident, incident->span.end_ns);
    lengths.own_ns = incident->span.is_outside ? 0 : lengths.stretch_ns;
    incident->span.watched_ns = lengths.stretch_ns;
    mon_stall_close(w, incident,
                    mon_judge(w->context->options, &lengths, incident->scene.is_foreground),
                    MON_ENDED_STOPPED);
}

/* Nothing will be answered any more. */
void mon_stall_stop(const struct mon_work *w)
{
    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        struct mon_incident *incident = &w->state->incidents[i];
        if (incident->state == MON_INCIDENT_OPEN || incident->state == MON_INCIDENT_MOVED) {
            stop_incident(w, incident);
        }
        if (incident->state == MON_INCIDENT_CLOSING) {
            mon_incident_publish(incident, w->context);
        }
    }
    memset(w->state->loops, 0, sizeof(w->state->loops));
}
