#include "monitor/incident.h"

void mon_incident_dump(struct mon_incident *incident, int64_t at_ns,
                       const struct mon_frames *frames)
{
    if (incident->dump_count == MON_DUMP_COUNT) {
        incident->dumps_left_out++;
        return;
    }
    incident->dumps[incident->dump_count++] = (struct mon_dump){at_ns, *frames};
}

void mon_incident_cpu(struct mon_incident *incident, int64_t at_ns, int64_t cpu_ns)
{
    if (cpu_ns < 0) {
        return;
    }
    if (incident->cpu.first_ns < 0) {
        incident->cpu.first_ns = cpu_ns;
        incident->cpu.first_at_ns = at_ns;
    }
    incident->cpu.last_ns = cpu_ns;
    incident->cpu.last_at_ns = at_ns;
}

void mon_incident_ask_trace(struct mon_incident *incident, uint64_t end_position,
                            const struct mon_context *context)
{
    const struct mon_action action = {.kind = MON_TAKE_TRACE,
                                      .loop = incident->span.loop,
                                      .request = ++context->facts->last_request,
                                      .position = incident->span.position,
                                      .end_position = end_position};

    incident->asked.trace = action.request;
    context->sink->take(context->sink->context, &action);
}

static bool is_debugged(const struct mon_incident *incident, const struct mon_facts *facts)
{
    return incident->is_debugged || (!incident->is_asked && facts->process.is_debugged);
}

static bool has_cpu(const struct mon_incident *incident)
{
    return incident->cpu.first_ns >= 0 && incident->cpu.last_at_ns > incident->cpu.first_at_ns;
}

static struct mon_issue make_issue(const struct mon_incident *incident, int64_t end_ns)
{
    bool knows_cpu = has_cpu(incident);
    struct mon_issue issue = {
        .detail = incident->stage,
        .ended = incident->ended,
        .span = incident->span,
        .cost_ns = end_ns - incident->span.begin_ns - incident->nested_ns,
        .cpu_ns = knows_cpu ? incident->cpu.last_ns - incident->cpu.first_ns : -1,
        .cpu_of_ns = knows_cpu ? incident->cpu.last_at_ns - incident->cpu.first_at_ns : 0,
        .is_foreground = incident->scene.is_foreground,
        .is_unreachable = incident->missed_stack && incident->samples.count == 0,
        .scene = incident->scene.name,
        .trace = incident->has_trace ? &incident->trace : NULL,
        .dumps = incident->dumps,
        .dump_count = incident->dump_count,
        .dumps_left_out = incident->dumps_left_out,
        .all_stacks = incident->all_stacks,
    };

    issue.span.end_ns = end_ns;
    return issue;
}

void mon_incident_emit(struct mon_incident *incident, enum mon_action_kind kind, int64_t end_ns,
                       const struct mon_context *context)
{
    struct mon_hottest hottest;
    struct mon_issue issue = make_issue(incident, end_ns);

    if (kind != MON_NOTE_CLOSE && is_debugged(incident, context->facts)) {
        return;
    }
    mon_find_hottest(&incident->samples, end_ns, &context->facts->gaps, &hottest);
    issue.hottest = &hottest;
    if (kind == MON_NOTE) {
        incident->is_noted = true;
        incident->noted_ns = incident->span.watched_ns;
    }
    mon_emit(context, kind, &issue);
}

void mon_incident_publish(struct mon_incident *incident, const struct mon_context *context)
{
    if (is_debugged(incident, context->facts)) {
        context->facts->counters.debugged++;
        if (incident->is_noted) {
            mon_incident_emit(incident, MON_NOTE_CLOSE, incident->span.end_ns, context);
        }
    } else {
        mon_incident_emit(incident, MON_ISSUE, incident->span.end_ns, context);
    }
    incident->state = MON_INCIDENT_FREE;
}
