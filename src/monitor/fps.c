/* Reports how each scene is drawn: after fps_slice_ms of drawing, and when the scene is left. */

#include "base/clock.h"
#include "monitor/drawn.h"
#include "monitor/rules.h"

#include <string.h>

struct state {
    struct mon_pace pace;
    struct mon_scene scene; /* that is being drawn */
    struct mon_drawn drawn;
};

static struct mon_issue make_issue(const struct state *state)
{
    const struct mon_drawn *drawn = &state->drawn;

    return (struct mon_issue){
        .detail = MON_FPS,
        .span.begin_ns = drawn->begin_ns,
        .span.end_ns = drawn->end_ns,
        .cost_ns = drawn->end_ns - drawn->begin_ns,
        .span.watched_ns = drawn->time_ns,
        .cpu_ns = -1,
        .is_foreground = state->scene.is_foreground,
        .scene = state->scene.name,
        .drawn = drawn,
    };
}

static void report_scene(struct state *state, const struct mon_context *context)
{
    struct mon_issue issue = make_issue(state);
    const struct mon_options *options = context->options;

    if (!mon_drawn_is_bad(&state->drawn, options)) {
        return;
    }
    if (context->facts->process.is_debugged) {
        context->facts->counters.debugged++;
        return;
    }
    issue.span.number = ++context->facts->last_number;
    mon_emit(context, MON_ISSUE, &issue);
}

static void add_frame(struct state *state, const struct mon_paced *paced,
                      const struct mon_context *context)
{
    mon_drawn_add(&state->drawn, paced, context->options);
    mon_sums_add_frame(&context->facts->sums, state->scene.name, paced);
    if (state->drawn.time_ns >= context->options->fps_slice_ms * MB_NS_PER_MS) {
        report_scene(state, context);
        memset(&state->drawn, 0, sizeof(state->drawn));
    }
}

static void leave_scene(struct state *state, const struct mon_context *context)
{
    struct mon_paced paced;

    if (mon_pace_end(&state->pace, &paced)) {
        add_frame(state, &paced, context);
    }
    if (state->drawn.frames > 0 &&
        state->drawn.time_ns >= context->options->fps_least_ms * MB_NS_PER_MS) {
        report_scene(state, context);
    }
    memset(&state->drawn, 0, sizeof(state->drawn));
}

static void on_frame(struct state *state, const struct mon_event *event,
                     const struct mon_context *context)
{
    struct mon_frame frame = event->frame;
    struct mon_paced paced;
    bool is_left_out = true;

    if (mon_frame_clear(&frame) &&
        mon_pace_add(&state->pace, &frame, &context->facts->gaps, &paced, &is_left_out)) {
        add_frame(state, &paced, context);
    }
    context->facts->counters.frames_left_out += is_left_out;
}

static bool is_same(const struct mon_scene *a, const struct mon_scene *b)
{
    return a->name == b->name && a->is_foreground == b->is_foreground;
}

static void feed_fps(void *memory, const struct mon_event *event, const struct mon_context *context)
{
    struct state *state = memory;
    const struct mon_scene *scene = &context->facts->scene;

    if (!context->options->fps_enable) {
        memset(state, 0, sizeof(*state));
        return;
    }
    if (!is_same(&state->scene, scene) || event->kind == MON_STOP) {
        leave_scene(state, context);
        state->scene = *scene;
    }
    if (event->kind == MON_FRAME && scene->is_foreground) {
        on_frame(state, event, context);
    }
}

const struct mon_rule mon_fps_rule = {sizeof(struct state), feed_fps, NULL};
