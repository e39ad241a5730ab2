/* Keeps the scene: the shown screen, and whether the program is in the foreground; from WINDOW
 * events or, without windows, from SCENE events. */

#include "monitor/rules.h"

#include "base/clock.h"

#define WINDOW_COUNT 16u

struct window {
    uint32_t id; /* 0: the place is free */
    uint32_t name;
    bool is_started;
    bool is_resumed;
    bool is_focused;
    bool was_shown;
    uint32_t turn; /* when it gained the last of these: the greater the later */
    int64_t created_ns;
};

struct state {
    struct window windows[WINDOW_COUNT];
    bool has_windows; /* ever had */
    uint32_t turn;
    uint32_t shown; /* id; 0: no window yet */
    uint32_t shown_name;
    uint32_t own_name; /* from SCENE; 0 if none */
    int64_t named_ns;
    bool is_leaving; /* no window is started */
    int64_t left_ns; /* since then */
};

static struct window *find_window(struct state *state, uint32_t id)
{
    for (size_t i = 0; i < WINDOW_COUNT; i++) {
        if (state->windows[i].id == id) {
            return &state->windows[i];
        }
    }
    return NULL;
}

/* Focused before resumed before started, then the latest. */
static uint64_t claim_of(const struct window *window)
{
    uint64_t standing = window->is_focused ? 3 : window->is_resumed ? 2 : window->is_started;

    return standing << 32 | window->turn;
}

/* In a full table, the window with the least claim to be shown is replaced. */
static struct window *find_place(struct state *state)
{
    struct window *place = find_window(state, 0);
    struct window *least = &state->windows[0];

    for (size_t i = 1; i < WINDOW_COUNT; i++) {
        least = claim_of(&state->windows[i]) < claim_of(least) ? &state->windows[i] : least;
    }
    return place != NULL ? place : least;
}

static struct window *add_window(struct state *state, const struct mon_event *event)
{
    struct window *place = find_place(state);

    *place = (struct window){
        .id = event->window.id, .name = event->window.name, .created_ns = event->at_ns};
    return place;
}

static void change_window(struct state *state, struct window *window, enum mon_window_what what)
{
    bool is_gain = true;

    switch (what) {
    case MON_WINDOW_STARTED:
        window->is_started = true;
        break;
    case MON_WINDOW_RESUMED:
        window->is_started = true;
        window->is_resumed = true;
        break;
    case MON_WINDOW_FOCUSED:
        window->is_focused = true;
        break;
    case MON_WINDOW_PAUSED:
        window->is_resumed = false;
        is_gain = false;
        break;
    case MON_WINDOW_UNFOCUSED:
        window->is_focused = false;
        is_gain = false;
        break;
    case MON_WINDOW_STOPPED:
        window->is_started = window->is_resumed = window->is_focused = false;
        is_gain = false;
        break;
    case MON_WINDOW_DESTROYED:
        *window = (struct window){0};
        is_gain = false;
        break;
    case MON_WINDOW_CREATED:
    case MON_WINDOW_DRAWN:
    case MON_WINDOW_WHAT_COUNT:
        is_gain = false;
        break;
    }
    if (is_gain) {
        window->turn = ++state->turn;
    }
}

static struct window *choose_window(struct state *state)
{
    struct window *best = NULL;

    for (size_t i = 0; i < WINDOW_COUNT; i++) {
        struct window *window = &state->windows[i];
        bool is_candidate = window->id != 0 && (window->is_started || window->is_focused);
        if (is_candidate && (best == NULL || claim_of(window) > claim_of(best))) {
            best = window;
        }
    }
    return best;
}

/* A name from SCENE belongs to the window that was shown then, or about to be shown. */
static void show_window(struct state *state, struct window *window)
{
    if (state->shown == window->id) {
        return;
    }
    if (window->was_shown || state->named_ns < window->created_ns) {
        state->own_name = 0;
    }
    window->was_shown = true;
    state->shown = window->id;
    state->shown_name = window->name;
}

static void update_scene(struct state *state, int64_t at_ns, struct mon_facts *facts)
{
    struct window *window = choose_window(state);

    if (window != NULL) {
        show_window(state, window);
        state->is_leaving = false;
        facts->scene.is_foreground = true;
    } else if (facts->scene.is_foreground && !state->is_leaving) {
        state->is_leaving = true;
        state->left_ns = at_ns;
    }
    if (facts->scene.is_foreground) {
        facts->scene.name = state->own_name != 0 ? state->own_name : state->shown_name;
    }
}

static int64_t leaves_ns(const struct state *state, const struct mon_context *context)
{
    return state->left_ns + context->options->background_ms * MB_NS_PER_MS;
}

/* A rotated screen has no window for a while: that is not the background. */
static void leave_when_due(struct state *state, int64_t at_ns, const struct mon_context *context)
{
    if (state->is_leaving && at_ns >= leaves_ns(state, context)) {
        state->is_leaving = false;
        state->shown = 0;
        state->shown_name = 0;
        state->own_name = 0;
        context->facts->scene = (struct mon_scene){.name = 0, .is_foreground = false};
        context->facts->backgrounds++;
    }
}

static void on_window(struct state *state, const struct mon_event *event,
                      const struct mon_context *context)
{
    struct window *window = event->window.id != 0 ? find_window(state, event->window.id) : NULL;

    if (event->window.id == 0 || event->window.what >= MON_WINDOW_WHAT_COUNT) {
        return;
    }
    if (!state->has_windows) { /* from SCENE before the first window */
        state->has_windows = true;
        state->own_name = 0;
        context->facts->scene.is_foreground = false;
    }
    if (window == NULL && event->window.what != MON_WINDOW_DESTROYED) {
        window = add_window(state, event);
    }
    if (window != NULL) {
        change_window(state, window, (enum mon_window_what)event->window.what);
    }
    update_scene(state, event->at_ns, context->facts);
}

static void on_scene(struct state *state, const struct mon_event *event,
                     const struct mon_context *context)
{
    struct mon_facts *facts = context->facts;

    if (!state->has_windows) {
        facts->backgrounds += facts->scene.is_foreground && !event->scene.is_foreground;
        facts->scene = event->scene;
        return;
    }
    state->own_name = event->scene.name;
    state->named_ns = event->at_ns;
    update_scene(state, event->at_ns, facts);
}

static void feed_scene(void *memory, const struct mon_event *event,
                       const struct mon_context *context)
{
    struct state *state = memory;

    leave_when_due(state, event->at_ns, context);
    if (event->kind == MON_WINDOW) {
        on_window(state, event, context);
    } else if (event->kind == MON_SCENE) {
        on_scene(state, event, context);
    }
}

static int64_t scene_next_ns(const void *memory, const struct mon_context *context)
{
    const struct state *state = memory;

    return state->is_leaving ? leaves_ns(state, context) : INT64_MAX;
}

const struct mon_rule mon_scene_rule = {sizeof(struct state), feed_scene, scene_next_ns};
