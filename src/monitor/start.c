/* Times starts: from the process or the requested window to the first screen that is drawn and has
 * the focus.
 *
 *   first window, asked for --> COLD --+
 *   window, from the background -> WARM +--> drawn, focused --> START --slow--> TRACE -> SLOW_START
 *   started again, the same ---> HOT --+--> background: broken off */

#include "monitor/start.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/number.h"
#include "monitor/rules.h"

#include <assert.h>
#include <string.h>

struct state {
    bool is_told[MON_APP_WHAT_COUNT]; /* APP events, and their times */
    int64_t told_ns[MON_APP_WHAT_COUNT];
    uint32_t values[MON_APP_WHAT_COUNT];
    bool has_windows; /* ever had */
    uint32_t backgrounds;
    bool was_left; /* in the background since the last start */

    bool is_running;
    struct mon_starting now;
    uint32_t window;   /* name */
    int64_t window_ns; /* its begin */
    uint64_t position; /* in the records, where its begin is */
    bool is_screen_seen;
    int64_t drawn_at_ns; /* 0: not yet */
    int64_t focused_at_ns;
    int64_t waits_ns; /* since the first of the two */

    uint32_t request; /* for the trace of a slow start; 0: none is pending */
    int64_t asked_ns;
    struct mon_starting slow;
    struct mon_issue issue;
};

const char *mon_start_name(enum mon_start_kind kind)
{
    static const char *const names[] = {
        [MON_START_COLD] = "cold", [MON_START_WARM] = "warm", [MON_START_HOT] = "hot"};

    assert((size_t)kind < MB_COUNT(names));
    return names[kind];
}

/* ---- Telling ---- */

static int64_t limit_ns(const struct mon_options *options, enum mon_start_kind kind)
{
    const int64_t ms[] = {[MON_START_COLD] = options->start_cold_ms,
                          [MON_START_WARM] = options->start_warm_ms,
                          [MON_START_HOT] = options->start_hot_ms};

    return ms[kind] * MB_NS_PER_MS;
}

static void tell_slow(struct state *state, const struct mon_trace *trace,
                      const struct mon_context *context)
{
    state->request = 0;
    state->issue.detail = MON_SLOW_START;
    state->issue.span.number = ++context->facts->last_number;
    state->issue.trace = trace;
    state->issue.starting = &state->slow;
    mon_emit(context, MON_ISSUE, &state->issue);
}

static void ask_trace(struct state *state, const struct mon_event *event,
                      const struct mon_context *context)
{
    const struct mon_action action = {
        .kind = MON_TAKE_TRACE,
        .request = ++context->facts->last_request,
        .position = state->now.kind == MON_START_COLD ? 0 : state->position,
        .end_position = MON_TO_THE_END,
    };

    state->request = action.request;
    state->asked_ns = event->at_ns;
    context->sink->take(context->sink->context, &action);
}

static void report_start(struct state *state, const struct mon_event *event, int64_t end_ns,
                         const struct mon_context *context)
{
    const struct mon_facts *facts = context->facts;
    struct mon_issue issue = {
        .detail = MON_START,
        .span.begin_ns = state->now.begin_ns,
        .span.end_ns = end_ns,
        .cost_ns = end_ns - state->now.begin_ns,
        .span.watched_ns = mon_watched(&facts->gaps, state->now.begin_ns, end_ns),
        .cpu_ns = -1,
        .is_foreground = true,
        .scene = state->window,
        .starting = &state->now,
    };

    if (facts->process.is_debugged) {
        context->facts->counters.debugged++;
        return;
    }
    if (state->request != 0) {
        tell_slow(state, NULL, context);
    }
    issue.span.number = ++context->facts->last_number;
    mon_emit(context, MON_ISSUE, &issue);
    if (issue.span.watched_ns >= limit_ns(context->options, state->now.kind)) {
        state->issue = issue;
        state->slow = state->now;
        ask_trace(state, event, context);
    }
}

/* ---- Ends ---- */

static int64_t watched_since(const struct mon_context *context, int64_t from_ns, int64_t to_ns)
{
    return to_ns != 0 ? mon_watched(&context->facts->gaps, from_ns, to_ns) : 0;
}

static bool is_odd(const struct state *state, int64_t end_ns, const struct mon_context *context)
{
    return end_ns < state->window_ns || state->now.begin_ns > state->window_ns ||
           watched_since(context, state->window_ns, end_ns) >
               context->options->start_most_ms * MB_NS_PER_MS;
}

static void finish_start(struct state *state, const struct mon_event *event,
                         const struct mon_context *context)
{
    struct mon_starting *now = &state->now;
    int64_t focused = state->focused_at_ns != 0 ? state->focused_at_ns : state->drawn_at_ns;
    int64_t end = state->drawn_at_ns > focused ? state->drawn_at_ns : focused;

    state->is_running = false;
    if (is_odd(state, end, context)) {
        context->facts->counters.starts_odd++;
        return;
    }
    now->duration_ns = watched_since(context, now->first_ns, focused);
    now->drawn_ns = watched_since(context, now->begin_ns, state->drawn_at_ns);
    now->focused_ns = watched_since(context, now->begin_ns, state->focused_at_ns);
    if (now->kind == MON_START_COLD && state->is_told[MON_APP_CREATED]) {
        now->application_ns =
            watched_since(context, now->first_ns, state->told_ns[MON_APP_CREATED]);
        now->application = state->values[MON_APP_CREATED];
    }
    if (state->is_told[MON_APP_DRAWN] && state->told_ns[MON_APP_DRAWN] >= state->window_ns) {
        now->fully_ns = watched_since(context, now->begin_ns, state->told_ns[MON_APP_DRAWN]);
    }
    mon_sums_add_start(&context->facts->sums, now->kind, now->duration_ns);
    report_start(state, event, end, context);
}

static bool is_complete(const struct state *state)
{
    return state->focused_at_ns != 0 &&
           (state->drawn_at_ns != 0 || state->now.kind == MON_START_HOT);
}

/* A window may never be told as drawn, and one over it may have the focus. A busy loop may be late
 * with the focus, so that is awaited for longer. */
static int64_t waits_until_ns(const struct state *state, const struct mon_context *context)
{
    const struct mon_options *options = context->options;
    int64_t ms = state->focused_at_ns != 0 ? options->answer_ms : options->start_most_ms;

    return state->waits_ns != 0 ? state->waits_ns + ms * MB_NS_PER_MS : INT64_MAX;
}

static void reach_moment(const struct mon_event *event, struct state *state, int64_t *moment_ns)
{
    if (*moment_ns == 0) {
        *moment_ns = event->at_ns;
        state->waits_ns = state->waits_ns != 0 ? state->waits_ns : event->at_ns;
        state->window = event->window.name != 0 ? event->window.name : state->window;
    }
}

/* ---- Begins ---- */

/* One of the program's own list. */
static bool is_splash(const struct mon_event *event, const struct mon_context *context)
{
    struct mb_text name = mon_name(context->names, event->window.name);
    struct mb_text rest = mb_text_of(context->options->splash);

    while (rest.size > 0) {
        size_t size = 0;
        while (size < rest.size && rest.data[size] != ',' && rest.data[size] != ';') {
            size++;
        }
        if (size > 0 && size == name.size && memcmp(rest.data, name.data, size) == 0) {
            return true;
        }
        size_t used = size < rest.size ? size + 1 : size;
        rest = (struct mb_text){rest.data + used, rest.size - used};
    }
    return false;
}

/* The system says it, where it can; else a screen that comes as soon as the application is
 * there. */
static bool is_for_window(const struct state *state, const struct mon_event *event,
                          const struct mon_context *context)
{
    enum mon_app_what end = state->is_told[MON_APP_CREATED] ? MON_APP_CREATED : MON_APP_INSTALLED;
    int64_t soon = context->options->start_soon_ms * MB_NS_PER_MS;

    if (state->is_told[MON_APP_REASON] && state->values[MON_APP_REASON] != MON_REASON_UNKNOWN) {
        return state->values[MON_APP_REASON] == MON_REASON_WINDOW;
    }
    return state->is_told[MON_APP_INSTALLED] && state->values[MON_APP_INSTALLED] != 0 &&
           watched_since(context, state->told_ns[end], event->at_ns) <= soon;
}

/* The earliest that can be: a process that waited for its program is older than its start. */
static int64_t begin_of(const struct state *state, int64_t window_ns,
                        const struct mon_context *context)
{
    static const enum mon_app_what order[] = {MON_APP_REQUESTED, MON_APP_PROCESS, MON_APP_FIRST,
                                              MON_APP_INSTALLED};

    for (size_t i = 0; i < MB_COUNT(order); i++) {
        int64_t at = state->told_ns[order[i]];
        if (state->is_told[order[i]] && at <= window_ns &&
            watched_since(context, at, window_ns) <=
                context->options->start_most_ms * MB_NS_PER_MS) {
            return at;
        }
    }
    return window_ns;
}

static void begin_start(struct state *state, const struct mon_event *event,
                        enum mon_start_kind kind, const struct mon_context *context)
{
    bool is_cold = kind == MON_START_COLD;
    int64_t at = is_cold ? begin_of(state, event->at_ns, context) : event->at_ns;
    int64_t first = state->told_ns[MON_APP_FIRST];
    bool has_first =
        is_cold && state->is_told[MON_APP_FIRST] && first >= at && first <= event->at_ns;

    state->is_running = true;
    state->was_left = false;
    state->now = (struct mon_starting){
        .kind = kind,
        .has_state = event->window.has_state,
        .begin_ns = at,
        .first_ns = has_first ? first : at,
    };
    state->window = event->window.name;
    state->window_ns = event->at_ns;
    state->position = event->window.position;
    state->is_screen_seen = false;
    state->drawn_at_ns = state->focused_at_ns = state->waits_ns = 0;
}

static void on_created(struct state *state, const struct mon_event *event,
                       const struct mon_context *context)
{
    bool is_first = !state->has_windows;

    state->has_windows = true;
    if (state->is_running) {
        return;
    }
    if (is_first && is_for_window(state, event, context)) {
        begin_start(state, event, MON_START_COLD, context);
    } else if (is_first || state->was_left) {
        context->facts->counters.starts_unseen += is_first;
        begin_start(state, event, MON_START_WARM, context);
    }
}

static void on_focused(struct state *state, const struct mon_event *event,
                       const struct mon_context *context)
{
    if (!state->is_screen_seen && state->now.kind == MON_START_COLD) {
        state->is_screen_seen = true;
        state->now.screen_ns = watched_since(context, state->now.first_ns, event->at_ns);
    }
    if (!is_splash(event, context)) {
        reach_moment(event, state, &state->focused_at_ns);
    }
}

static void on_window(struct state *state, const struct mon_event *event,
                      const struct mon_context *context)
{
    if (event->window.what == MON_WINDOW_CREATED) {
        on_created(state, event, context);
    } else if (event->window.what == MON_WINDOW_STARTED && state->was_left && state->has_windows &&
               !state->is_running) {
        begin_start(state, event, MON_START_HOT, context);
    } else if (state->is_running && event->window.what == MON_WINDOW_FOCUSED) {
        on_focused(state, event, context);
    } else if (state->is_running && event->window.what == MON_WINDOW_DRAWN &&
               !is_splash(event, context)) {
        reach_moment(event, state, &state->drawn_at_ns);
    }
    if (state->is_running && is_complete(state)) {
        finish_start(state, event, context);
    }
}

static void on_app(struct state *state, const struct mon_event *event)
{
    if (event->app.what < MON_APP_WHAT_COUNT) {
        state->is_told[event->app.what] = true;
        state->told_ns[event->app.what] = event->at_ns;
        state->values[event->app.what] = event->app.value;
    }
}

/* ---- All ---- */

static void note_background(struct state *state, const struct mon_context *context)
{
    if (state->backgrounds == context->facts->backgrounds) {
        return;
    }
    state->backgrounds = context->facts->backgrounds;
    state->was_left = true;
    if (state->is_running) {
        state->is_running = false;
        context->facts->counters.starts_broken_off++;
    }
}

static void on_time(struct state *state, const struct mon_event *event,
                    const struct mon_context *context)
{
    bool is_over = event->kind == MON_STOP;

    if (state->is_running &&
        (is_over ? state->waits_ns != 0 : event->at_ns >= waits_until_ns(state, context))) {
        finish_start(state, event, context);
    }
    if (state->request != 0 &&
        (is_over || event->at_ns - state->asked_ns >= context->options->answer_ms * MB_NS_PER_MS)) {
        tell_slow(state, NULL, context);
    }
}

static void feed_start(void *memory, const struct mon_event *event,
                       const struct mon_context *context)
{
    struct state *state = memory;

    if (event->kind == MON_APP) {
        on_app(state, event);
    }
    if (!context->options->start_enable) {
        state->is_running = false;
        return;
    }
    note_background(state, context);
    if (event->kind == MON_WINDOW) {
        on_window(state, event, context);
    } else if (event->kind == MON_TRACE && event->request != 0 &&
               event->request == state->request) {
        tell_slow(state, &event->trace, context);
    } else if (event->kind == MON_TICK || event->kind == MON_STOP) {
        on_time(state, event, context);
    }
}

static int64_t start_next_ns(const void *memory, const struct mon_context *context)
{
    const struct state *state = memory;
    int64_t patience = context->options->answer_ms * MB_NS_PER_MS;
    int64_t next = state->is_running ? waits_until_ns(state, context) : INT64_MAX;

    return state->request != 0 ? mb_min_i64(next, state->asked_ns + patience) : next;
}

const struct mon_rule mon_start_rule = {sizeof(struct state), feed_start, start_next_ns};
