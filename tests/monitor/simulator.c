#include "simulator.h"

#include "monitor/issue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TICK_NS (300 * SIM_MS)

static struct mb_text find_name(const void *context, uint32_t name)
{
    const struct sim *sim = context;

    return name <= sim->name_count ? mb_text_of(sim->names[name - 1]) : (struct mb_text){"", 0};
}

uint32_t sim_name(struct sim *sim, const char *text)
{
    for (uint32_t i = 0; i < sim->name_count; i++) {
        if (strcmp(sim->names[i], text) == 0) {
            return i + 1;
        }
    }
    assert(sim->name_count < SIM_NAMES);
    sim->names[sim->name_count++] = strdup(text);
    return sim->name_count;
}

/* ---- What the rules ask for ---- */

static void keep_issue(struct sim *sim, const struct mon_issue *issue)
{
    assert(sim->issue_count < SIM_ISSUES);
    sim->issues[sim->issue_count++] = (struct sim_issue){
        .detail = issue->detail,
        .ended = issue->ended,
        .begin_ns = issue->span.begin_ns,
        .end_ns = issue->span.end_ns,
        .cost_ns = issue->cost_ns,
        .watched_ns = issue->span.watched_ns,
        .number = issue->span.number,
        .top = issue->hottest != NULL && issue->hottest->frames != NULL
                   ? issue->hottest->frames->names[0]
                   : 0,
        .dump_count = issue->dump_count,
        .all_stacks = issue->all_stacks,
        .trace_key = issue->trace != NULL ? issue->trace->key : 0,
        .is_outside = issue->span.is_outside,
        .limit = issue->limit,
    };
    mon_issue_put(&sim->text, issue, &sim->finder, &sim->options, NULL);
    mb_buf_put_u1(&sim->text, '\n');
}

static struct mon_event *add_event(struct sim *sim, enum mon_kind kind, uint32_t request)
{
    assert(sim->pending_count < MB_COUNT(sim->pending));
    struct mon_event *event = &sim->pending[sim->pending_count++];
    *event = (struct mon_event){.at_ns = sim->now_ns, .kind = kind, .request = request};
    return event;
}

void sim_feed(struct sim *sim, const struct mon_event *event)
{
    assert(sim->pending_count < MB_COUNT(sim->pending));
    sim->pending[sim->pending_count++] = *event;
}

static void answer_stack(struct sim *sim, uint32_t request)
{
    if (sim->hides_stacks) {
        return;
    }
    struct mon_event *event = add_event(sim, MON_STACK, request);
    event->stack.sequence = sim->sequence * 2 + (sim->depth > 0);
    event->stack.frames.count = sim->frame_count;
    for (uint32_t i = 0; i < sim->frame_count; i++) {
        event->stack.frames.names[i] =
            sim_name(sim, i + 1 == sim->frame_count ? "app.main" : "app.call");
    }
    event->stack.frames.names[0] = sim->stack;
    event->stack.frames.files[0] =
        (uint16_t)sim_name(sim, "App.java"); /* each look finds another line */
    event->stack.frames.lines[0] = (uint16_t)sim->stacks_taken;
    sim->stack_times[sim->stacks_taken++ % MB_COUNT(sim->stack_times)] = sim->now_ns;
}

static void answer_trace(struct sim *sim, const struct mon_action *action)
{
    if (sim->hides_traces) {
        return;
    }
    struct mon_event *event = add_event(sim, MON_TRACE, action->request);
    event->trace.key = 171;
    event->trace.items.count = 2;
    event->trace.items.items[0] = (struct mon_item){0, 1048574, 1, 871};
    event->trace.items.items[1] = (struct mon_item){1, 171, 1, 637};
}

static void answer_process(struct sim *sim, uint32_t request)
{
    struct mon_event *event = add_event(sim, MON_PROCESS, request);

    event->process = (struct mon_process){.name = sim_name(sim, "com.x"),
                                          .start = 0x5f1c,
                                          .mapping = 0x91ab,
                                          .machine = sim_name(sim, "HIGH"),
                                          .wall_ns = INT64_C(1790000000000) * SIM_MS,
                                          .mem_bytes = 8012345344,
                                          .mem_free_kb = 123456,
                                          .cpu_share = 3100,
                                          .priority = 20,
                                          .nice = -10,
                                          .dalvik_kb = 1,
                                          .native_kb = 2,
                                          .vm_kb = 3,
                                          .is_debugged = sim->has_debugger};
}

static void take(void *context, const struct mon_action *action)
{
    struct sim *sim = context;

    switch (action->kind) {
    case MON_TAKE_STACK:
        answer_stack(sim, action->request);
        break;
    case MON_TAKE_STACKS:
        add_event(sim, MON_STACKS, action->request)->stacks.text = sim_name(sim, "all stacks");
        break;
    case MON_TAKE_TRACE:
        answer_trace(sim, action);
        break;
    case MON_TAKE_PROCESS:
        answer_process(sim, action->request);
        break;
    case MON_TAKE_THREADS:
        break;
    case MON_PING:
        sim->pings++;
        sim->ping_request = action->request;
        break;
    case MON_NOTE:
        sim->notes++;
        break;
    case MON_NOTE_CLOSE:
        sim->notes_closed++;
        break;
    case MON_ISSUE: /* of a stall that has a note: that one is over */
        sim->notes_closed +=
            sim->notes > 0 && action->issue->detail >= MON_LAG && action->issue->detail <= MON_HANG;
        keep_issue(sim, action->issue);
        break;
    }
}

/* ---- The program ---- */

struct sim *sim_create(void)
{
    struct sim *sim = calloc(1, sizeof(*sim));

    assert(sim != NULL);
    sim->finder = (struct mon_names){find_name, sim};
    sim->sink = (struct mon_sink){take, sim};
    sim->frame_count = 3;
    mon_options_init(&sim->options);
    if (!mon_options_set(&sim->options, "often", "")) {
        abort(); /* also where assert does nothing */
    }
    return sim;
}

static int compare_steps(const void *a, const void *b)
{
    const struct sim_step *left = a;
    const struct sim_step *right = b;

    return (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
}

void sim_start(struct sim *sim)
{
    qsort(sim->steps, sim->step_count, sizeof(sim->steps[0]), compare_steps);
    sim->mon = mon_create(malloc(mon_size()), &sim->options, &sim->finder, &sim->sink);
    answer_process(sim, 0);
}

void sim_destroy(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->name_count; i++) {
        free((void *)(uintptr_t)sim->names[i]);
    }
    mb_buf_finish(&sim->text);
    free(sim->mon);
    free(sim);
}

void sim_message(struct sim *sim, int64_t begin_ms, int64_t end_ms, const char *stack)
{
    uint32_t name = sim_name(sim, stack);

    assert(sim->step_count + 2 <= SIM_STEPS);
    sim->steps[sim->step_count++] = (struct sim_step){begin_ms * SIM_MS, true, name};
    sim->steps[sim->step_count++] = (struct sim_step){end_ms * SIM_MS, false, name};
}

void sim_gap(struct sim *sim, int64_t from_ms, int64_t to_ms)
{
    assert(sim->gap_count < SIM_GAPS);
    sim->gap_from[sim->gap_count] = from_ms * SIM_MS;
    sim->gap_to[sim->gap_count++] = to_ms * SIM_MS;
}

/* What a loop thread does at begin and end: the cell, and a record if it was slow. */
static void tell_slow(struct sim *sim, int64_t at_ns, bool is_open)
{
    uint32_t top = sim->depth - 1;
    int64_t slow = mon_options_slow_ns(&sim->options);
    int64_t own = at_ns - sim->begun_ns[top] - sim->nested_ns[top];

    if (sim->hides_slow || (at_ns - sim->since_ns < slow && (is_open || own < slow))) {
        return;
    }
    struct mon_event *event = add_event(sim, MON_SLOW, 0);
    event->at_ns = at_ns;
    event->slow = (struct mon_slow){.begin_ns = sim->begun_ns[top],
                                    .stretch_ns = sim->since_ns,
                                    .nested_ns = sim->nested_ns[top],
                                    .is_open = is_open,
                                    .cpu_ns = -1,
                                    .message = sim_name(sim, "Handler (a.b.C$D) {..} a.b.C$1: 7")};
}

static void take_step(struct sim *sim, const struct sim_step *step)
{
    if (step->is_begin) {
        if (sim->depth > 0) {
            tell_slow(sim, step->at_ns, true);
        }
        sim->begun_ns[sim->depth] = step->at_ns;
        sim->nested_ns[sim->depth++] = 0;
    } else {
        tell_slow(sim, step->at_ns, false);
        int64_t length = step->at_ns - sim->begun_ns[--sim->depth];
        if (sim->depth > 0) {
            sim->nested_ns[sim->depth - 1] += length;
        }
    }
    sim->sequence++;
    sim->since_ns = step->at_ns;
    sim->stack = step->stack;
}

/* ---- The watcher ---- */

static void feed_pending(struct sim *sim)
{
    struct mon_event events[MB_COUNT(sim->pending)];
    uint32_t count = sim->pending_count;

    memcpy(events, sim->pending, count * sizeof(events[0]));
    sim->pending_count = 0;
    while (count > 0) {
        uint32_t chosen = 0;
        if (sim->shuffle != 0) {
            sim->shuffle = sim->shuffle * UINT64_C(6364136223846793005) + 1442695040888963407u;
            chosen = (uint32_t)(sim->shuffle >> 33) % count;
        }
        mon_feed(sim->mon, &events[chosen]);
        memmove(&events[chosen], &events[chosen + 1], (count - chosen - 1) * sizeof(events[0]));
        count--;
    }
}

static void tick(struct sim *sim, int64_t planned_ns)
{
    struct mon_event event = {.at_ns = sim->now_ns, .kind = MON_TICK};

    event.tick.planned_ns = planned_ns;
    feed_pending(sim);
    mon_feed(sim->mon, &event);
}

static void look(struct sim *sim)
{
    struct mon_event *event = add_event(sim, MON_LOOP, 0);

    event->poll = (struct mon_poll){.sequence = sim->sequence * 2 + (sim->depth > 0),
                                    .is_open = sim->depth > 0,
                                    .since_ns = sim->since_ns,
                                    .cpu_ns = sim->cpu_ns};
}

static int64_t after_gaps(const struct sim *sim, int64_t at_ns)
{
    for (uint32_t i = 0; i < sim->gap_count; i++) {
        if (at_ns >= sim->gap_from[i] && at_ns < sim->gap_to[i]) {
            return sim->gap_to[i];
        }
    }
    return at_ns;
}

static void wake(struct sim *sim, int64_t planned_ns)
{
    sim->now_ns = after_gaps(sim, planned_ns);
    while (sim->next_step < sim->step_count && sim->steps[sim->next_step].at_ns <= sim->now_ns) {
        take_step(sim, &sim->steps[sim->next_step++]);
    }
    look(sim);
    tick(sim, planned_ns);
    for (int i = 0; i < 8 && sim->pending_count > 0; i++) {
        tick(sim, sim->now_ns);
    }
}

void sim_run(struct sim *sim, int64_t until_ms)
{
    int64_t until = until_ms * SIM_MS;

    while (sim->now_ns < until) {
        int64_t next = mon_next_ns(sim->mon);
        int64_t planned = sim->now_ns + TICK_NS;
        if (next < planned) {
            planned = next > sim->now_ns ? next : sim->now_ns + 1;
        }
        wake(sim, planned < until ? planned : until);
    }
}
