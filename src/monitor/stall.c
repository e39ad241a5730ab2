/* Slow messages and loops that stand still: one incident each, told once, when it is over.
 *
 *   look, longer than sample_after --> OPEN --SLOW, PONG--> CLOSING --answers--> issue
 *                                        |                     ^
 *                                        +--sequence--> MOVED --+--SLOW, or waited in vain
 *   SLOW without a look ---------------------------------------+ */

#include "monitor/stall.h"

#include "base/number.h"
#include "monitor/classes.h"

#include <string.h>

/* ---- Incidents ---- */

/* Emit the incident that waits longest, as it is. There are more incidents than loops, so one
 * waits. */
static struct mon_incident *make_room(const struct mon_work *w)
{
    struct mon_incident *oldest = NULL;

    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        struct mon_incident *incident = &w->state->incidents[i];
        if (incident->state != MON_INCIDENT_OPEN &&
            (oldest == NULL || incident->changed_ns < oldest->changed_ns)) {
            oldest = incident;
        }
    }
    if (oldest->state == MON_INCIDENT_MOVED) {
        mon_stall_close_unseen(w, oldest);
    }
    if (oldest->state == MON_INCIDENT_CLOSING) {
        w->context->facts->counters.crowded++;
        mon_incident_publish(oldest, w->context);
    }
    return oldest;
}

static struct mon_incident *find_free(const struct mon_work *w)
{
    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        if (w->state->incidents[i].state == MON_INCIDENT_FREE) {
            return &w->state->incidents[i];
        }
    }
    return make_room(w);
}

struct mon_incident *mon_stall_add(const struct mon_work *w, int64_t since_ns)
{
    struct mon_incident *incident = find_free(w);
    const struct mon_facts *facts = w->context->facts;

    memset(incident, 0, sizeof(*incident));
    incident->state = MON_INCIDENT_OPEN;
    incident->ended = MON_ENDED_OPEN;
    incident->span.number = ++w->context->facts->last_number;
    incident->span.loop = w->event->loop;
    incident->span.loop_name =
        w->event->kind == MON_LOOP ? w->event->poll.name : w->loop->poll.name;
    incident->span.begin_ns = since_ns;
    incident->since_ns = since_ns;
    incident->scene = facts->scene;
    incident->cpu.first_ns = -1;
    return incident;
}

void mon_stall_change(const struct mon_work *w, struct mon_incident *incident,
                      enum mon_incident_state state)
{
    incident->state = state;
    incident->changed_ns = w->event->at_ns;
    if (w->loop->current == incident) {
        w->loop->current = NULL;
    }
}

static void drop_incident(const struct mon_work *w, struct mon_incident *incident)
{
    if (incident->is_noted) {
        mon_incident_emit(incident, MON_NOTE_CLOSE, w->event->at_ns, w->context);
    }
    mon_stall_change(w, incident, MON_INCIDENT_FREE);
}

/* The incident is over; its issue waits for the trace. */
void mon_stall_close(const struct mon_work *w, struct mon_incident *incident,
                     enum mon_detail detail, enum mon_ended ended)
{
    if (detail == MON_NOTHING) {
        drop_incident(w, incident);
        return;
    }
    incident->stage = detail;
    incident->ended = ended;
    if (detail >= MON_LAG) { /* judged now, emitted after its trace */
        mon_incident_emit(incident, MON_NOTE, incident->span.end_ns, w->context);
    }
    incident->asked.stack = 0; /* of a message that is over */
    mon_stall_change(w, incident, MON_INCIDENT_CLOSING);
    if (ended != MON_ENDED_STOPPED) {
        mon_incident_ask_trace(incident, incident->span.end_position, w->context);
    }
}

void mon_stall_close_unseen(const struct mon_work *w, struct mon_incident *incident)
{
    struct mon_lengths lengths = {.stretch_ns =
                                      mon_stall_watched(w, incident, incident->span.end_ns)};

    lengths.own_ns = incident->span.is_outside ? 0 : lengths.stretch_ns;
    incident->span.watched_ns = lengths.stretch_ns;
    mon_stall_close(w, incident,
                    mon_judge(w->context->options, &lengths, incident->scene.is_foreground),
                    MON_ENDED_UNSEEN);
}

/* ---- Answers ---- */

static void on_stack(const struct mon_work *w)
{
    const struct mon_stack *stack = &w->event->stack;
    const struct mon_options *options = w->context->options;
    struct mon_incident *incident = w->loop->current;

    if (incident == NULL || stack->sequence != incident->sequence) {
        w->context->facts->counters.stale_stacks++;
        return;
    }
    incident->asked.stack = 0;
    incident->next_look_ns = incident->asked.stack_at_ns + mon_ns(options->sample_ms);
    if (stack->frames.count == 0) {
        incident->missed_stack = true;
    } else {
        mon_samples_add(&incident->samples, w->event->at_ns, &stack->frames,
                        mon_top(&stack->frames, w->context->names));
    }
    if (incident->stage == MON_NOTHING) {
        return;
    }
    uint64_t key = mon_stack_key(&stack->frames, w->context->names);
    if (mon_anneal_look(&incident->anneal, key, stack->frames.count) == MON_LOOK_NEW) {
        mon_incident_dump(incident, w->event->at_ns, &stack->frames);
    }
    incident->next_look_ns =
        w->event->at_ns + incident->anneal.interval * mon_ns(options->check_ms);
}

static void on_trace(const struct mon_work *w)
{
    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        struct mon_incident *incident = &w->state->incidents[i];
        if (incident->state == MON_INCIDENT_FREE || incident->asked.trace == 0 ||
            incident->asked.trace != w->event->request) {
            continue;
        }
        incident->asked.trace = 0;
        incident->trace = w->event->trace;
        incident->has_trace = true;
        if (incident->state == MON_INCIDENT_OPEN) {
            mon_incident_emit(incident, MON_NOTE, w->event->at_ns, w->context);
        }
    }
}

static void on_stacks(const struct mon_work *w)
{
    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        struct mon_incident *incident = &w->state->incidents[i];
        if (incident->state != MON_INCIDENT_FREE && incident->asked.stacks != 0 &&
            incident->asked.stacks == w->event->request) {
            incident->asked.stacks = 0;
            incident->all_stacks = w->event->stacks.text;
        }
    }
}

static void on_process(const struct mon_work *w)
{
    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        struct mon_incident *incident = &w->state->incidents[i];
        incident->is_debugged = incident->is_debugged || w->event->process.is_debugged;
    }
}

/* ---- Time ---- */

static bool is_answered(const struct mon_incident *incident)
{
    return incident->asked.trace == 0 && incident->asked.stacks == 0;
}

static void on_tick(const struct mon_work *w)
{
    int64_t patience = mon_ns(w->context->options->answer_ms);

    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        struct mon_incident *incident = &w->state->incidents[i];
        bool has_waited = w->event->at_ns - incident->changed_ns >= patience;
        if (incident->state == MON_INCIDENT_MOVED && has_waited) {
            mon_stall_close_unseen(w, incident);
        } else if (incident->state == MON_INCIDENT_CLOSING &&
                   (has_waited || is_answered(incident))) {
            mon_incident_publish(incident, w->context);
        }
    }
}

typedef void handler(const struct mon_work *w);

static handler *const handlers[MON_KIND_COUNT] = {
    [MON_TICK] = on_tick,        [MON_LOOP] = mon_stall_look, [MON_SLOW] = mon_stall_slow,
    [MON_PONG] = mon_stall_pong, [MON_STACK] = on_stack,      [MON_STACKS] = on_stacks,
    [MON_TRACE] = on_trace,      [MON_PROCESS] = on_process,  [MON_STOP] = mon_stall_stop,
};

static void feed_stall(void *memory, const struct mon_event *event,
                       const struct mon_context *context)
{
    struct mon_stall *state = memory;
    const struct mon_work work = {state, event, context, &state->loops[event->loop]};

    if (handlers[event->kind] != NULL) {
        handlers[event->kind](&work);
    }
}

/* When a stretch will have been watched for so long, if no gap comes. */
static int64_t reaches_ns(const struct mon_context *context, int64_t since_ns, int64_t length_ns)
{
    if (length_ns == INT64_MAX) {
        return INT64_MAX;
    }
    return since_ns + length_ns +
           mon_gaps_within(&context->facts->gaps, since_ns, context->facts->now_ns);
}

static int64_t next_stage_ns(const struct mon_incident *incident, const struct mon_context *context)
{
    int64_t next = INT64_MAX;

    for (enum mon_detail stage = MON_LAG; stage <= MON_HANG; stage++) {
        if (stage > incident->stage) {
            int64_t length =
                mon_threshold_ns(context->options, stage, incident->scene.is_foreground);
            next = mb_min_i64(next, reaches_ns(context, incident->since_ns, length));
        }
    }
    return next;
}

static int64_t incident_next_ns(const struct mon_incident *incident,
                                const struct mon_context *context)
{
    int64_t patience = mon_ns(context->options->answer_ms);

    switch (incident->state) {
    case MON_INCIDENT_FREE:
        break;
    case MON_INCIDENT_OPEN:
        return mb_min_i64(next_stage_ns(incident, context),
                          incident->asked.stack != 0 ? incident->asked.stack_at_ns + patience
                                                     : incident->next_look_ns);
    case MON_INCIDENT_MOVED:
    case MON_INCIDENT_CLOSING:
        return is_answered(incident) && incident->state == MON_INCIDENT_CLOSING
                   ? context->facts->now_ns
                   : incident->changed_ns + patience;
    }
    return INT64_MAX;
}

static int64_t loop_next_ns(const struct mon_loop *loop, const struct mon_context *context)
{
    int64_t late = mon_ns(context->options->sample_after_ms);

    if (!loop->has_look || loop->current != NULL) {
        return INT64_MAX;
    }
    if (loop->poll.is_open && loop->poll.since_ns >= loop->ended_ns) {
        return reaches_ns(context, loop->poll.since_ns, late);
    }
    return loop->ping_request != 0 ? reaches_ns(context, loop->ping_ns, late) : INT64_MAX;
}

static int64_t stall_next_ns(const void *memory, const struct mon_context *context)
{
    const struct mon_stall *state = memory;
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < MON_LOOP_COUNT; i++) {
        next = mb_min_i64(next, loop_next_ns(&state->loops[i], context));
    }
    for (size_t i = 0; i < MON_INCIDENT_COUNT; i++) {
        next = mb_min_i64(next, incident_next_ns(&state->incidents[i], context));
    }
    return next;
}

const struct mon_rule mon_stall_rule = {sizeof(struct mon_stall), feed_stall, stall_next_ns};
