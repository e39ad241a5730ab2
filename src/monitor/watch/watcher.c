#include "monitor/watch/watcher.h"

#include "base/clock.h"
#include "base/number.h"
#include "monitor/watch/bell.h"
#include "monitor/watch/clock.h"
#include "monitor/watch/inbox.h"
#include "monitor/watch/log.h"
#include "monitor/watch/loops.h"

#include <stdlib.h>

#define SHORTEST_WAIT_NS MB_NS_PER_MS
#define IDLE_LOOK_NS (2000 * MB_NS_PER_MS)
#define CPU_PERIOD_NS (1000 * MB_NS_PER_MS)
#define SUSPENDED_NS (10 * MB_NS_PER_MS) /* shorter times are below the error of two clocks */
#define BATCH 48u                        /* events from the inbox */
#define ROUNDS 8                         /* of questions and answers in a batch */

/* ---- Feeding ---- */

void watch_feed(struct watch_watcher *watcher, const struct mon_event *event)
{
    mon_feed(watcher->mon, event);
}

/* Ends a batch. */
static void feed_tick(struct watch_watcher *watcher, int64_t at_ns, int64_t planned_ns,
                      int64_t suspended_ns)
{
    struct mon_event event = {.at_ns = at_ns, .kind = MON_TICK};

    event.tick.planned_ns = planned_ns < at_ns ? planned_ns : at_ns;
    event.tick.suspended_ns = suspended_ns;
    watch_feed(watcher, &event);
}

static void answer_all(struct watch_watcher *watcher)
{
    for (int i = 0; i < ROUNDS && watch_answer(watcher); i++) {
        int64_t now = mb_clock_now_ns();
        feed_tick(watcher, now, now, 0);
    }
}

/* ---- Events of others ---- */

static uint32_t number_of(struct watch_watcher *watcher, const char *text)
{
    return watch_names_add(watcher->names, mb_text_of(text));
}

static uint32_t number_passing(struct watch_watcher *watcher, const char *text)
{
    return watch_names_pass(watcher->names, mb_text_of(text));
}

static struct mon_report custom_of(struct watch_watcher *watcher, const struct watch_custom *custom)
{
    return (struct mon_report){.detail = number_passing(watcher, custom->detail),
                               .key = number_passing(watcher, custom->key),
                               .json = number_passing(watcher, custom->json),
                               .thread = number_passing(watcher, custom->thread)};
}

static void feed_event(struct watch_watcher *watcher, const struct watch_event *taken)
{
    struct mon_event event = {.at_ns = taken->at_ns, .kind = taken->kind};
    uint32_t name = number_of(watcher, taken->name);

    if (taken->kind == MON_FRAME) {
        event.frame = taken->frame;
    } else if (taken->kind == MON_APP) {
        event.app = taken->app;
    } else if (taken->kind == MON_WINDOW) {
        event.window = taken->window;
        event.window.name = name;
    } else if (taken->kind == MON_OPTION) {
        event.change.name = name;
        event.change.value = number_of(watcher, taken->owned);
    } else if (taken->kind == MON_REPORT) {
        event.report = custom_of(watcher, taken->owned);
    } else {
        event.scene = taken->scene;
        event.scene.name = name;
    }
    watch_feed(watcher, &event);
}

/* The rules order the events of one batch by time; the room of a batch is limited. */
static void feed_inbox(struct watch_watcher *watcher)
{
    struct watch_event event;

    for (uint32_t count = 1; watch_inbox_take(&event); count++) {
        feed_event(watcher, &event);
        free(event.owned);
        if (count % BATCH == 0) {
            feed_tick(watcher, watcher->now_ns, watcher->now_ns, 0);
        }
    }
}

static void feed_process(struct watch_watcher *watcher)
{
    struct mon_event event = {.at_ns = watcher->now_ns, .kind = MON_PROCESS};

    watch_process_read(&watcher->process, watcher->names, &event.process);
    watch_feed(watcher, &event);
}

/* Once a second while the watcher is awake. */
static void feed_cpu(struct watch_watcher *watcher)
{
    struct mon_event event = {.at_ns = watcher->now_ns, .kind = MON_CPU};

    if (mon_current_options(watcher->mon)->cpu_enable &&
        watcher->now_ns - watcher->cpu_ns >= CPU_PERIOD_NS) {
        watch_process_read_cpu(&event.cpu);
        watcher->cpu_ns = watcher->now_ns;
        watch_feed(watcher, &event);
    }
}

/* ---- A batch ---- */

/* The time that the machine was suspended since the last call. */
static int64_t take_suspended(struct watch_watcher *watcher)
{
    int64_t suspended = watch_clock_suspended_ns();
    int64_t grown = suspended - watcher->suspended_ns;

    if (grown < SUSPENDED_NS) {
        return 0;
    }
    watcher->suspended_ns = suspended;
    return grown;
}

static void note_lateness(struct watch_watcher *watcher)
{
    int64_t late = watcher->now_ns - watcher->planned_ns;

    if (late > watcher->latest_ns &&
        late <= mon_current_options(watcher->mon)->gap_ms * MB_NS_PER_MS) {
        watcher->latest_ns = late;
    }
}

static struct watch_counters counters_of(const struct watch_watcher *watcher)
{
    const struct mon_counters *rules = mon_counters(watcher->mon);

    return (struct watch_counters){
        .looks = watcher->looks,
        .names_left_out = watch_names_left_out(watcher->names),
        .answers_left_out = watcher->answers_left_out,
        .debugged = rules->debugged,
        .pings = rules->pings,
        .pings_moot = rules->pings_moot,
        .stale_stacks = rules->stale_stacks,
        .frames_left_out = rules->frames_left_out,
        .starts_broken_off = rules->starts_broken_off,
        .starts_unseen = rules->starts_unseen,
        .starts_odd = rules->starts_odd,
        .gap_ns = rules->gap_ns,
        .latest_ns = watcher->latest_ns,
    };
}

static void run_batch(struct watch_watcher *watcher, const struct watch_orders *orders)
{
    watcher->looks++;
    watcher->blocked_ns = 0;
    note_lateness(watcher);
    watch_feed_exits(watcher);
    feed_inbox(watcher);
    watch_poll_loops(watcher);
    feed_cpu(watcher);
    feed_tick(watcher, watcher->now_ns, watcher->planned_ns, take_suspended(watcher));
    answer_all(watcher);
    watch_keep_session(watcher, false);
    watch_loops_listen(mon_options_slow_ns(mon_current_options(watcher->mon)));
    const struct watch_counters counters = counters_of(watcher);
    orders->count(&counters);
}

/* ---- Waiting ---- */

static int64_t next_wish(const struct watch_watcher *watcher)
{
    return mb_min_i64(mon_next_ns(watcher->mon), watch_answer_due_ns(watcher));
}

static int64_t active_until(const struct watch_watcher *watcher)
{
    const struct mon_options *options = mon_current_options(watcher->mon);
    int64_t tick = options->sample_after_ms * MB_NS_PER_MS;
    int64_t until = mb_min_i64(next_wish(watcher), watcher->now_ns + tick);

    return until > watcher->now_ns ? until : watcher->now_ns + SHORTEST_WAIT_NS;
}

/* A loop may be busy outside of messages: poll it now and then. */
static int64_t resting_until(const struct watch_watcher *watcher)
{
    bool can_ask = false;

    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        can_ask = can_ask || watch_loop_can_ping(i);
    }
    return can_ask && mon_current_scene(watcher->mon)->is_foreground
               ? watcher->now_ns + IDLE_LOOK_NS
               : INT64_MAX;
}

/* No loop is in a message, and no work is left. A message that began before watch_bell_rest is seen
 * by the last check. */
static bool may_rest(const struct watch_watcher *watcher)
{
    bool is_written = watcher->spool == NULL || spool_is_written(watcher->spool);

    if (next_wish(watcher) != INT64_MAX || !is_written || !watch_loops_rest(watcher)) {
        return false;
    }
    watch_bell_rest();
    return watch_loops_are_unchanged(watcher);
}

/* The begin of the message that woke the watcher, open or not; now without one. If the process was
 * stopped between its begin and now, that is a gap. */
static int64_t first_since(const struct watch_watcher *watcher)
{
    int64_t first = mb_clock_now_ns();

    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        struct watch_snapshot snapshot;
        if (!watch_loop_is_there(i)) {
            continue;
        }
        if (watch_cell_read(watch_loop_cell(i), &snapshot) && snapshot.is_open &&
            snapshot.sequence != watcher->loops[i].sequence) {
            first = mb_min_i64(first, snapshot.since_ns);
        }
        first = mb_min_i64(first, watch_cell_untaken_ns(watch_loop_cell(i))); /* after the cell */
    }
    return first;
}

static void wait_for_work(struct watch_watcher *watcher)
{
    bool rests = may_rest(watcher);
    int64_t until = rests ? resting_until(watcher) : active_until(watcher);
    int64_t now = mb_clock_now_ns();

    if (until < now) { /* by the time that others kept the watcher, and no more */
        until = mb_min_i64(now, until + watcher->blocked_ns);
    }
    bool did_ring = watch_bell_wait(until);
    watcher->now_ns = mb_clock_now_ns();
    watcher->planned_ns = mb_min_i64(until, watcher->now_ns);
    if (did_ring && rests) {
        watcher->planned_ns = mb_min_i64(watcher->planned_ns, first_since(watcher));
    }
}

/* ---- Life ---- */

static bool attach_host(struct watch_watcher *watcher)
{
    return watcher->host.attach == NULL || watcher->host.attach(watcher->host.context);
}

struct watch_watcher *watch_watcher_create(const struct watch_orders *orders)
{
    struct watch_watcher *watcher = calloc(1, sizeof(*watcher));
    void *memory = calloc(1, mon_size());
    struct watch_names *names = watch_names_create();

    if (watcher == NULL || memory == NULL || names == NULL) {
        watch_log("no monitors: out of memory");
        free(watcher);
        free(memory);
        watch_names_destroy(names);
        return NULL;
    }
    watcher->options = orders->options;
    watcher->host = orders->host;
    watcher->names = names;
    watcher->view = watch_names_view(names);
    watcher->sink = (struct mon_sink){watch_take_action, watcher};
    watcher->mon = mon_create(memory, &watcher->options, &watcher->view, &watcher->sink);
    return watcher;
}

static void begin_watching(struct watch_watcher *watcher)
{
    watcher->has_host = attach_host(watcher);
    watch_process_init(&watcher->process, watcher->host.process);
    watcher->suspended_ns = watch_clock_suspended_ns();
    watcher->now_ns = mb_clock_now_ns();
    watcher->planned_ns = watcher->now_ns;
    watch_forget_slow();
    if (watcher->has_host && watcher->host.exits != NULL) {
        watcher->host.exits(watcher->host.context, &watcher->exits);
        watcher->now_ns = watcher->planned_ns = mb_clock_now_ns();
    }
    watch_open_spool(watcher);
    feed_process(watcher);
    feed_tick(watcher, watcher->now_ns, watcher->now_ns,
              0); /* before all later events, whatever their times */
}

static void end_watching(struct watch_watcher *watcher, const struct watch_orders *orders)
{
    struct mon_event event = {.kind = MON_STOP};

    run_batch(watcher, orders);
    watch_loops_listen(WATCH_NEVER_SLOW);
    event.at_ns = mb_clock_now_ns();
    watch_feed(watcher, &event);
    feed_tick(watcher, event.at_ns, event.at_ns, 0);
    watch_keep_session(watcher, true);
    watch_inbox_close();
    watch_close_spool(watcher);
    if (watcher->has_host && watcher->host.detach != NULL) {
        watcher->host.detach(watcher->host.context);
    }
}

void watch_watcher_run(struct watch_watcher *watcher, const struct watch_orders *orders)
{
    begin_watching(watcher);
    while (!atomic_load(orders->stop)) {
        run_batch(watcher, orders);
        wait_for_work(watcher);
    }
    end_watching(watcher, orders);
}

void watch_watcher_destroy(struct watch_watcher *watcher)
{
    watch_exits_forget(&watcher->exits);
    watch_names_destroy(watcher->names);
    free(watcher->mon);
    free(watcher);
}

/* ---- When the sums of a session go to their file ---- */

#define KEPT_EACH_NS (60000 * MB_NS_PER_MS) /* what a killed process may lose */

static bool is_due(const struct watch_watcher *watcher, bool is_foreground)
{
    const struct watch_kept *kept = &watcher->kept;

    return kept->at_ns == 0 || watcher->now_ns - kept->at_ns >= KEPT_EACH_NS ||
           (kept->is_foreground && !is_foreground);
}

void watch_keep_session(struct watch_watcher *watcher, bool is_end)
{
    const bool is_foreground = mon_current_scene(watcher->mon)->is_foreground;
    const struct mon_options *options = mon_current_options(watcher->mon);
    int64_t start = mb_clock_now_ns();

    if (watcher->spool != NULL && options->app[0] != '\0' &&
        (is_end || is_due(watcher, is_foreground))) {
        spool_keep_session(watcher->spool, mon_current_process(watcher->mon),
                           mon_current_sums(watcher->mon), options);
        watcher->kept.at_ns = watcher->now_ns;
        watcher->blocked_ns += mb_clock_now_ns() - start;
    }
    watcher->kept.is_foreground = is_foreground;
}
