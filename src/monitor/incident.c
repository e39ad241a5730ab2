#include "monitor/stall.h"

#include <string.h>

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

/* ---- When to sample ---- */

#define LONGEST 3600u

static void restart_interval(struct mon_anneal *anneal)
{
    anneal->previous = 1;
    anneal->interval = 1;
}

enum mon_look_result mon_anneal_look(struct mon_anneal *anneal, uint64_t key, uint32_t frames)
{
    if (frames <= 1) {
        restart_interval(anneal);
        return MON_LOOK_MEANINGLESS;
    }
    if (!anneal->has_key || anneal->key != key) {
        restart_interval(anneal);
        anneal->has_key = true;
        anneal->key = key;
        return MON_LOOK_NEW;
    }
    uint32_t sum = anneal->previous + anneal->interval;
    anneal->previous = anneal->interval;
    anneal->interval = sum < LONGEST ? sum : LONGEST;
    return MON_LOOK_SAME;
}

/* ---- The stack that explains a stall best ---- */

void mon_samples_add(struct mon_samples *samples, int64_t at_ns, const struct mon_frames *frames,
                     uint32_t top)
{
    samples->samples[samples->count++ % MON_SAMPLE_COUNT] =
        (struct mon_sample){.at_ns = at_ns, .top = top, .frames = *frames};
}

static uint32_t kept_count(const struct mon_samples *samples)
{
    return samples->count < MON_SAMPLE_COUNT ? samples->count : MON_SAMPLE_COUNT;
}

/* The index-th of those that are kept, the oldest first. */
static const struct mon_sample *sample_at(const struct mon_samples *samples, uint32_t index)
{
    uint32_t first = samples->count - kept_count(samples);

    return &samples->samples[(first + index) % MON_SAMPLE_COUNT];
}

struct weights {
    uint32_t count;
    int64_t of_sample[MON_SAMPLE_COUNT];
};

static void weigh_samples(const struct mon_samples *samples, int64_t end_ns,
                          const struct mon_gaps *gaps, struct weights *weights)
{
    weights->count = kept_count(samples);
    for (uint32_t i = 0; i < weights->count; i++) {
        int64_t next = i + 1 < weights->count ? sample_at(samples, i + 1)->at_ns : end_ns;
        weights->of_sample[i] = mon_watched(gaps, sample_at(samples, i)->at_ns, next);
    }
}

/* Of the samples up to index with the same top as that one. */
static int64_t weight_up_to(const struct mon_samples *samples, const struct weights *weights,
                            uint32_t index)
{
    uint32_t top = sample_at(samples, index)->top;
    int64_t sum = 0;

    for (uint32_t i = index + 1; i-- > 0;) {
        if (sample_at(samples, i)->top == top) {
            sum += weights->of_sample[i];
        }
    }
    return sum;
}

static bool has_frame(const struct mon_frames *frames, uint32_t name)
{
    for (uint32_t i = 0; i < frames->count; i++) {
        if (frames->names[i] == name) {
            return true;
        }
    }
    return false;
}

static void count_repeats(const struct mon_samples *samples, struct mon_hottest *hottest)
{
    for (uint32_t f = 0; f < hottest->frames->count; f++) {
        for (uint32_t i = 0; i < hottest->samples; i++) {
            hottest->repeats[f] +=
                has_frame(&sample_at(samples, i)->frames, hottest->frames->names[f]);
        }
    }
}

void mon_find_hottest(const struct mon_samples *samples, int64_t end_ns,
                      const struct mon_gaps *gaps, struct mon_hottest *hottest)
{
    struct weights weights;

    memset(hottest, 0, sizeof(*hottest));
    weigh_samples(samples, end_ns, gaps, &weights);
    hottest->samples = weights.count;
    for (uint32_t i = 0; i < weights.count; i++) {
        int64_t weight = weight_up_to(samples, &weights, i);
        hottest->of_ns += weights.of_sample[i];
        if (hottest->frames == NULL || weight >= hottest->weight_ns) {
            hottest->weight_ns = weight;
            hottest->frames = &sample_at(samples, i)->frames;
        }
    }
    if (hottest->frames != NULL) {
        count_repeats(samples, hottest);
    }
}
