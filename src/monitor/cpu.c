/* A process that keeps its processors busy: told when it begins, and when it was so on average. */

#include "monitor/rules.h"

#include "base/clock.h"

#define LONGEST_PERIOD_NS INT64_C(5000000000)
#define MOST_CORES 65536
#define TOLD_THREADS 3u
#define TOLD_SHARE 20 /* of over_ns: 5 % */

struct state {
    bool has_last;
    int64_t last_ns;
    int64_t last_process_ns;
    bool is_averaging;
    int64_t average_ns; /* length so far */
    int64_t average_used_ns;
    int64_t quiet_until_ns; /* INT64_MIN: before the first report */
    bool was_told;
    uint32_t request; /* for the threads of the issue; 0: no issue waits */
    int64_t asked_ns;
    struct mon_issue issue;
};

static int64_t limit_ns(const struct mon_options *options, uint32_t cores, int64_t period_ns)
{
    int64_t most = cores < MOST_CORES ? cores : MOST_CORES;
    int64_t processors = cores > 0 ? most : 1;

    return period_ns / 100 * options->cpu_percent * processors;
}

static void ask_threads(struct state *state, const struct mon_event *event, int64_t length_ns,
                        int64_t used_ns, const struct mon_context *context)
{
    const struct mon_facts *facts = context->facts;

    state->was_told = true;
    state->asked_ns = event->at_ns;
    state->issue = (struct mon_issue){
        .detail = MON_BUSY,
        .span.number = ++context->facts->last_number,
        .span.begin_ns = event->at_ns - length_ns,
        .span.end_ns = event->at_ns,
        .cost_ns = length_ns,
        .span.watched_ns = length_ns,
        .busy_ns = used_ns,
        .is_average = state->is_averaging,
        .cpu_ns = -1,
        .is_foreground = facts->scene.is_foreground,
        .scene = facts->scene.name,
    };
    state->request = mon_ask(context, MON_TAKE_THREADS, event->loop);
}

static void start_average(struct state *state, int64_t period_ns, int64_t used_ns)
{
    state->is_averaging = true;
    state->average_ns = period_ns;
    state->average_used_ns = used_ns;
}

static void go_on(struct state *state, const struct mon_event *event, int64_t period_ns,
                  int64_t used_ns, const struct mon_context *context)
{
    const struct mon_options *options = context->options;
    uint32_t cores = event->cpu.cores;

    state->average_ns += period_ns;
    state->average_used_ns += used_ns;
    int64_t limit = limit_ns(options, cores, state->average_ns);
    if (state->average_used_ns < limit / 2) {
        state->is_averaging = false;
        return;
    }
    if (state->average_ns < options->cpu_average_ms * MB_NS_PER_MS) {
        return;
    }
    if (state->average_used_ns > limit) {
        state->quiet_until_ns = event->at_ns + options->cpu_average_ms * MB_NS_PER_MS;
        ask_threads(state, event, state->average_ns, state->average_used_ns, context);
    }
    state->is_averaging = false;
}

/* Compare two readings; readings too far apart are ignored. */
static void judge_reading(struct state *state, const struct mon_event *event,
                          const struct mon_context *context)
{
    int64_t period = event->at_ns - state->last_ns;
    int64_t used = event->cpu.process_ns - state->last_process_ns;

    if (period <= 0 || period >= LONGEST_PERIOD_NS || used < 0 || used / MOST_CORES > period) {
        state->is_averaging = false;
        return;
    }
    if (state->is_averaging) {
        go_on(state, event, period, used, context);
        return;
    }
    bool is_quiet = state->was_told && event->at_ns < state->quiet_until_ns;
    if (!is_quiet && used > limit_ns(context->options, event->cpu.cores, period)) {
        state->quiet_until_ns = event->at_ns + context->options->cpu_average_ms * MB_NS_PER_MS;
        ask_threads(state, event, period, used, context);
        start_average(state, period, used);
    }
}

/* Only the busiest threads that matter. */
static void choose_threads(struct mon_cpu *cpu)
{
    struct mon_threads *threads = &cpu->threads;

    for (uint32_t i = 1; i < threads->count; i++) { /* the greatest first */
        for (uint32_t j = i; j > 0 && threads->threads[j].cpu_ns > threads->threads[j - 1].cpu_ns;
             j--) {
            struct mon_thread thread = threads->threads[j];
            threads->threads[j] = threads->threads[j - 1];
            threads->threads[j - 1] = thread;
        }
    }
    threads->count = threads->count < TOLD_THREADS ? threads->count : TOLD_THREADS;
    while (threads->count > 0 &&
           threads->threads[threads->count - 1].cpu_ns < cpu->over_ns / TOLD_SHARE) {
        threads->count--;
    }
}

static void report_busy(struct state *state, const struct mon_cpu *cpu,
                        const struct mon_context *context)
{
    state->request = 0;
    state->issue.cpu = cpu;
    if (context->facts->process.is_debugged) {
        context->facts->counters.debugged++;
        return;
    }
    mon_emit(context, MON_ISSUE, &state->issue);
}

static void on_cpu(struct state *state, const struct mon_event *event,
                   const struct mon_context *context)
{
    if (event->request != 0) {
        if (event->request == state->request) {
            struct mon_cpu cpu = event->cpu;
            choose_threads(&cpu);
            report_busy(state, &cpu, context);
        }
        return;
    }
    if (state->has_last) {
        judge_reading(state, event, context);
    }
    state->has_last = true;
    state->last_ns = event->at_ns;
    state->last_process_ns = event->cpu.process_ns;
}

static int64_t answer_ns(const struct state *state, const struct mon_context *context)
{
    return state->asked_ns + context->options->answer_ms * MB_NS_PER_MS;
}

static void feed_cpu(void *memory, const struct mon_event *event, const struct mon_context *context)
{
    struct state *state = memory;
    bool is_tick = event->kind == MON_TICK;

    if (event->kind == MON_CPU && context->options->cpu_enable) {
        on_cpu(state, event, context);
    } else if (state->request != 0 && (event->kind == MON_STOP ||
                                       (is_tick && event->at_ns >= answer_ns(state, context)))) {
        report_busy(state, NULL, context);
    }
}

static int64_t cpu_next_ns(const void *memory, const struct mon_context *context)
{
    const struct state *state = memory;

    return state->request != 0 ? answer_ns(state, context) : INT64_MAX;
}

const struct mon_rule mon_cpu_rule = {sizeof(struct state), feed_cpu, cpu_next_ns};
