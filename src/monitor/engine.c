#include "abi/issue.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/number.h"
#include "monitor/rules.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define QUEUE_COUNT 96u

static const struct mon_rule *const rules[] = {&mon_scene_rule, &mon_stall_rule, &mon_cpu_rule,
                                               &mon_fps_rule,   &mon_start_rule, &mon_report_rule,
                                               &mon_exit_rule};

struct mon {
    struct mon_options options;
    struct mon_names names;
    struct mon_sink sink;
    struct mon_facts facts;
    struct mon_context context;
    uint32_t queue_count;
    struct mon_event queue[QUEUE_COUNT]; /* since the last tick */
    void *states[MB_COUNT(rules)];
    _Alignas(max_align_t) unsigned char memory[]; /* of the states */
};

const char *mon_detail_name(enum mon_detail detail)
{
    static const char *const names[] = {[MON_NOTHING] = "NOTHING",
                                        [MON_NORMAL] = ABI_DETAIL_NORMAL,
                                        [MON_LAG] = ABI_DETAIL_LAG,
                                        [MON_ANR] = ABI_DETAIL_ANR,
                                        [MON_HANG] = ABI_DETAIL_HANG,
                                        [MON_OFTEN] = ABI_DETAIL_OFTEN,
                                        [MON_BUSY] = ABI_DETAIL_CPU,
                                        [MON_FPS] = ABI_DETAIL_FPS,
                                        [MON_START] = ABI_DETAIL_START,
                                        [MON_SLOW_START] = ABI_DETAIL_STARTUP,
                                        [MON_EXIT_ANR] = ABI_DETAIL_EXIT_ANR,
                                        [MON_CUSTOM] = ABI_DETAIL_CUSTOM};

    assert((size_t)detail < MB_COUNT(names));
    return names[detail];
}

const char *mon_ended_name(enum mon_ended ended)
{
    static const char *const names[] = {[MON_ENDED_NORMAL] = ABI_ENDED_NORMAL,
                                        [MON_ENDED_UNSEEN] = "unseen",
                                        [MON_ENDED_STOPPED] = "stopped",
                                        [MON_ENDED_KILLED] = "killed",
                                        [MON_ENDED_OPEN] = "open"};

    assert((size_t)ended < MB_COUNT(names));
    return names[ended];
}

static size_t align_size(size_t size)
{
    return (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

size_t mon_size(void)
{
    size_t size = sizeof(struct mon);

    for (size_t i = 0; i < MB_COUNT(rules); i++) {
        size += align_size(rules[i]->state_size);
    }
    return size;
}

struct mon *mon_create(void *memory, const struct mon_options *options,
                       const struct mon_names *names, const struct mon_sink *sink)
{
    struct mon *mon = memory;
    unsigned char *place = mon->memory;

    memset(mon, 0, mon_size());
    mon->options = *options;
    mon->names = *names;
    mon->sink = *sink;
    mon->facts.scene.is_foreground = true;
    mon->facts.now_ns = INT64_MIN;
    mon->context = (struct mon_context){&mon->options, &mon->names, &mon->sink, &mon->facts};
    for (size_t i = 0; i < MB_COUNT(rules); i++) {
        mon->states[i] = place;
        place += align_size(rules[i]->state_size);
    }
    return mon;
}

/* ---- What rules share ---- */

uint32_t mon_ask(const struct mon_context *context, enum mon_action_kind kind, uint32_t loop)
{
    const struct mon_action action = {
        .kind = kind, .loop = loop, .request = ++context->facts->last_request};

    context->sink->take(context->sink->context, &action);
    return action.request;
}

void mon_emit(const struct mon_context *context, enum mon_action_kind kind, struct mon_issue *issue)
{
    const struct mon_action action = {.kind = kind, .loop = issue->span.loop, .issue = issue};
    const struct mon_facts *facts = context->facts;

    issue->process = facts->has_process ? &facts->process : NULL;
    if (issue->start == 0) { /* else of a process that died */
        issue->start = facts->process.start;
    }
    context->sink->take(context->sink->context, &action);
}

/* ---- Feeding ---- */

static char *copy_name(const struct mon *mon, uint32_t name, char *text, size_t size)
{
    struct mb_text view = mon_name(&mon->names, name);
    size_t length = view.size < size - 1 ? view.size : size - 1;

    memcpy(text, view.data, length);
    text[length] = '\0';
    return text;
}

static void change_option(struct mon *mon, const struct mon_event *event)
{
    char name[96];
    char value[sizeof(mon->options.platform) + 1];

    (void)mon_options_set(&mon->options, copy_name(mon, event->change.name, name, sizeof(name)),
                          copy_name(mon, event->change.value, value, sizeof(value)));
}

static void update_facts(struct mon *mon, const struct mon_event *event)
{
    if (event->kind == MON_PROCESS) {
        mon->facts.process = event->process;
        mon->facts.has_process = true;
    } else if (event->kind == MON_OPTION) {
        change_option(mon, event);
    }
}

static void feed_rules(struct mon *mon, const struct mon_event *event)
{
    update_facts(mon, event);
    for (size_t i = 0; i < MB_COUNT(rules); i++) {
        rules[i]->feed(mon->states[i], event, &mon->context);
    }
}

/* Facts first; the end of a message before the poll that finds the next one open. */
static int rank_of(uint32_t kind)
{
    static const uint32_t order[] = {MON_OPTION, MON_PROCESS, MON_APP,    MON_SCENE,  MON_WINDOW,
                                     MON_FRAME,  MON_TRACE,   MON_STACKS, MON_STACK,  MON_SLOW,
                                     MON_PONG,   MON_LOOP,    MON_CPU,    MON_REPORT, MON_STOP};

    for (size_t i = 0; i < MB_COUNT(order); i++) {
        if (order[i] == kind) {
            return (int)i;
        }
    }
    return (int)MB_COUNT(order);
}

/* Orders events of one kind and time: inner messages end before outer ones. */
static uint64_t detail_of(const struct mon_event *event)
{
    if (event->kind == MON_SLOW) {
        return UINT64_MAX - (uint64_t)event->slow.begin_ns;
    }
    if (event->kind == MON_WINDOW) {
        return (uint64_t)event->window.what << 32 | event->window.id;
    }
    if (event->kind == MON_FRAME) {
        return (uint64_t)event->frame.intended_ns;
    }
    if (event->kind == MON_APP) {
        return event->app.what;
    }
    return event->kind == MON_LOOP ? event->poll.sequence : event->request;
}

static bool is_before(const struct mon_event *a, const struct mon_event *b)
{
    if (a->at_ns != b->at_ns) {
        return a->at_ns < b->at_ns;
    }
    if (a->kind != b->kind) {
        return rank_of(a->kind) < rank_of(b->kind);
    }
    return a->loop != b->loop ? a->loop < b->loop : detail_of(a) < detail_of(b);
}

/* In order of time, whatever the order of feeding; batches are short. */
static void work_through(struct mon *mon)
{
    bool is_done[QUEUE_COUNT] = {false};

    for (uint32_t n = 0; n < mon->queue_count; n++) {
        uint32_t first = QUEUE_COUNT;
        for (uint32_t i = 0; i < mon->queue_count; i++) {
            if (!is_done[i] &&
                (first == QUEUE_COUNT || is_before(&mon->queue[i], &mon->queue[first]))) {
                first = i;
            }
        }
        is_done[first] = true;
        feed_rules(mon, &mon->queue[first]);
    }
    mon->queue_count = 0;
}

/* Add the gap before judging the events around it. */
static void end_batch(struct mon *mon, const struct mon_event *event)
{
    const struct mon_tick *t = &event->tick;
    struct mon_facts *facts = &mon->facts;

    if (event->at_ns - t->planned_ns > mon->options.gap_ms * MB_NS_PER_MS || t->suspended_ns > 0) {
        facts->counters.gap_ns += mon_gaps_add(&facts->gaps, t->planned_ns, event->at_ns);
    }
    facts->now_ns = event->at_ns > facts->now_ns ? event->at_ns : facts->now_ns;
    work_through(mon);
    feed_rules(mon, event);
}

void mon_feed(struct mon *mon, const struct mon_event *event)
{
    if (event->kind >= MON_KIND_COUNT || event->loop >= MON_LOOP_COUNT) {
        mon->facts.counters.unknown++;
        return;
    }
    if (event->kind == MON_TICK) {
        end_batch(mon, event);
        return;
    }
    if (mon->queue_count == QUEUE_COUNT) {
        mon->facts.counters.early_batches++;
        work_through(mon);
    }
    mon->queue[mon->queue_count++] = *event;
}

int64_t mon_next_ns(const struct mon *mon)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < MB_COUNT(rules); i++) {
        if (rules[i]->next_ns != NULL) {
            next = mb_min_i64(next, rules[i]->next_ns(mon->states[i], &mon->context));
        }
    }
    return next;
}

const struct mon_counters *mon_counters(const struct mon *mon)
{
    return &mon->facts.counters;
}

const struct mon_options *mon_current_options(const struct mon *mon)
{
    return &mon->options;
}

const struct mon_scene *mon_current_scene(const struct mon *mon)
{
    return &mon->facts.scene;
}

const struct mon_process *mon_current_process(const struct mon *mon)
{
    return &mon->facts.process;
}

struct mon_sums *mon_current_sums(struct mon *mon)
{
    return &mon->facts.sums;
}
