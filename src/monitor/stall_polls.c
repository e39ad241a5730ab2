#include "base/number.h"
#include "monitor/classes.h"
#include "monitor/stall.h"

/* ---- A stall that goes on ---- */

static void ask_stack(const struct mon_work *w, struct mon_incident *incident)
{
    incident->asked.stack = mon_ask(w->context, MON_TAKE_STACK, incident->span.loop);
    incident->asked.stack_at_ns = w->event->at_ns;
}

/* Keep the hottest stack so far as the first dump; sample less often from now on. */
static void dump_hottest(const struct mon_work *w, struct mon_incident *incident)
{
    struct mon_hottest hottest;

    mon_find_hottest(&incident->samples, w->event->at_ns, &w->context->facts->gaps, &hottest);
    if (hottest.frames == NULL) {
        return;
    }
    uint64_t key = mon_stack_key(hottest.frames, w->context->names);
    if (mon_anneal_look(&incident->anneal, key, hottest.frames->count) == MON_LOOK_NEW) {
        mon_incident_dump(incident, w->event->at_ns, hottest.frames);
    }
    incident->next_look_ns = w->event->at_ns + mon_ns(w->context->options->check_ms);
}

static void enter_stage(const struct mon_work *w, struct mon_incident *incident,
                        enum mon_detail stage)
{
    bool is_first = incident->stage == MON_NOTHING;
    bool becomes_anr = incident->stage < MON_ANR && stage >= MON_ANR;

    for (enum mon_detail i = is_first ? MON_LAG : incident->stage + 1; i <= stage; i++) {
        incident->span.noticed.at_ns[i] = w->event->at_ns;
    }
    incident->stage = stage;
    if (is_first) {
        dump_hottest(w, incident);
    }
    mon_incident_emit(incident, MON_NOTE, w->event->at_ns, w->context);
    if (is_first || becomes_anr) {
        mon_incident_ask_trace(incident, MON_TO_THE_END, w->context);
    }
    if (becomes_anr) {
        incident->asked.stacks = mon_ask(w->context, MON_TAKE_STACKS, incident->span.loop);
        (void)mon_ask(w->context, MON_TAKE_PROCESS, incident->span.loop);
    }
}

static void update_incident(const struct mon_work *w, struct mon_incident *incident)
{
    const struct mon_options *options = w->context->options;
    int64_t at = w->event->at_ns;

    incident->span.watched_ns = mon_stall_watched(w, incident, at);
    mon_incident_cpu(incident, at, w->event->poll.cpu_ns);
    enum mon_detail stage =
        mon_judge_stall(options, incident->span.watched_ns, incident->scene.is_foreground);
    if (stage > incident->stage) {
        enter_stage(w, incident, stage);
    } else if (incident->is_noted &&
               incident->span.watched_ns - incident->noted_ns >= incident->noted_ns / 8) {
        mon_incident_emit(incident, MON_NOTE, at, w->context);
    }
    if (incident->asked.stack != 0 &&
        at - incident->asked.stack_at_ns >= mon_ns(options->answer_ms)) {
        incident->missed_stack = true;
        incident->asked.stack = 0;
    }
    if (incident->asked.stack == 0 && at >= incident->next_look_ns) {
        ask_stack(w, incident);
    }
}

static struct mon_incident *open_incident(const struct mon_work *w, int64_t since_ns)
{
    struct mon_incident *incident = mon_stall_add(w, since_ns);

    incident->sequence = w->event->poll.sequence;
    incident->span.position = w->event->poll.position;
    incident->span.end_position = MON_TO_THE_END;
    incident->next_look_ns = w->event->at_ns;
    incident->is_asked = true;
    incident->span.noticed.at_ns[MON_NORMAL] = w->event->at_ns;
    w->loop->current = incident;
    (void)mon_ask(w->context, MON_TAKE_PROCESS, incident->span.loop);
    return incident;
}

/* ---- Looks ---- */

static bool is_late(const struct mon_work *w, int64_t since_ns)
{
    return mon_watched(&w->context->facts->gaps, since_ns, w->event->at_ns) >=
           mon_ns(w->context->options->sample_after_ms);
}

static void look_inside(const struct mon_work *w)
{
    int64_t since = w->event->poll.since_ns;

    if (w->loop->current == NULL && is_late(w, since)) {
        (void)open_incident(w, since);
    }
    if (w->loop->current != NULL) {
        update_incident(w, w->loop->current);
    }
}

static bool is_ping_wanted(const struct mon_work *w)
{
    const struct mon_loop *loop = w->loop;
    int64_t cpu = w->event->poll.cpu_ns;

    return !loop->ping_is_back && cpu >= 0 && loop->poll.cpu_ns >= 0 && cpu != loop->poll.cpu_ns;
}

/* Between messages: it sleeps, or it does something that is not a message. Same sequence as before.
 */
static void look_outside(const struct mon_work *w)
{
    struct mon_loop *loop = w->loop;

    if (loop->current == NULL && loop->ping_request != 0 && is_late(w, loop->ping_ns)) {
        struct mon_incident *incident = open_incident(w, loop->ping_ns);
        incident->span.is_outside = true;
        incident->span.before_ns = loop->before_ping_ns;
    }
    if (loop->current != NULL) {
        update_incident(w, loop->current);
    } else if (loop->ping_request == 0 && is_ping_wanted(w)) {
        loop->ping_request = mon_ask(w->context, MON_PING, w->event->loop);
        loop->before_ping_ns = w->event->at_ns - loop->looked_ns;
        loop->ping_ns = w->event->at_ns;
        w->context->facts->counters.pings++;
    }
    loop->ping_is_back = false;
}

/* The loop went on since the last poll. */
static void leave_message(const struct mon_work *w)
{
    const struct mon_poll *look = &w->event->poll;
    struct mon_incident *incident = w->loop->current;

    if (w->loop->ping_request != 0) {
        w->context->facts->counters.pings_moot++;
        w->loop->ping_request = 0;
    }
    if (incident == NULL) {
        return;
    }
    incident->span.end_ns =
        look->is_open ? mb_min_i64(look->since_ns, w->event->at_ns) : w->event->at_ns;
    if (incident->span.is_outside) {
        mon_stall_close_unseen(w, incident);
    } else {
        mon_stall_change(w, incident, MON_INCIDENT_MOVED);
    }
}

void mon_stall_look(const struct mon_work *w)
{
    const struct mon_poll *look = &w->event->poll;
    struct mon_loop *loop = w->loop;
    bool is_known = loop->has_look && look->sequence == loop->poll.sequence;

    if ((loop->has_look && w->event->at_ns < loop->looked_ns) ||
        (look->is_open && look->since_ns < loop->ended_ns)) {
        return; /* older than a later SLOW event */
    }
    if (!is_known) {
        leave_message(w);
    }
    if (look->is_open) {
        look_inside(w);
    } else if (is_known) {
        look_outside(w);
    }
    loop->has_look = true;
    loop->poll = *look;
    loop->looked_ns = w->event->at_ns;
}
