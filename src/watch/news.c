#include "watch/news.h"

#include "monitor/overlay.h"
#include "recorder/here.h"
#include "watch/bell.h"
#include "watch/clock.h"
#include "watch/methodbeat_watch.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROOM 256u /* two seconds at 120 Hz */
#define LATEST_NS (INT64_C(1) << 57)

_Static_assert(WATCH_BAR_COUNT == MON_BAR_COUNT, "the same bars");
_Static_assert((int)WATCH_WINDOW_UNFOCUSED == (int)MON_WINDOW_UNFOCUSED, "the same words");
_Static_assert((int)WATCH_APP_FULLY_DRAWN == (int)MON_APP_DRAWN, "the same words");

static struct {
    pthread_mutex_t lock;
    bool is_open; /* and all that follows, under the lock */
    uint32_t first;
    uint32_t count;
    struct watch_news ring[ROOM];
    uint32_t frames_lost; /* since the last that found room */
    uint64_t left_out;
    bool is_shown; /* somebody looks at the overlay */
    uint32_t window;
    struct mon_options options;
    struct mon_overlay overlay;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- The watcher's side ---- */

static void lock(void)
{
    (void)pthread_mutex_lock(&state.lock);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&state.lock);
}

void watch_news_begin(const struct mon_options *options)
{
    lock();
    state.is_open = true;
    state.options = *options;
    unlock();
}

void watch_news_end(void)
{
    lock();
    state.is_open = false;
    state.first = state.count = state.frames_lost = 0;
    state.is_shown = false;
    memset(&state.overlay, 0, sizeof(state.overlay));
    unlock();
}

bool watch_news_take(struct watch_news *news)
{
    lock();
    bool has_news = state.count > 0;
    if (has_news) {
        *news = state.ring[state.first];
        state.first = (state.first + 1) % ROOM;
        state.count--;
    }
    unlock();
    return has_news;
}

uint64_t watch_news_left_out(void)
{
    lock();
    uint64_t left_out = state.left_out;
    unlock();
    return left_out;
}

void watch_news_forget(void)
{
    (void)pthread_mutex_init(&state.lock, NULL);
    watch_news_end();
}

/* ---- Everybody else's ---- */

static void draw(const struct watch_news *news)
{
    if (state.is_shown && news->kind == MON_FRAME) {
        mon_overlay_add(&state.overlay, &news->frame, &state.options);
    } else if (news->kind == MON_WINDOW && news->window.what == MON_WINDOW_RESUMED &&
               news->window.id != state.window) {
        state.window = news->window.id;
        mon_overlay_next_scene(&state.overlay);
    }
}

/* Under the lock. Frames can wait, while there is room: they come by themselves when a loop
 * moves. */
static bool put(const struct watch_news *news, const char *name)
{
    if (state.count == ROOM || news->at_ns < 0 || news->at_ns > LATEST_NS) {
        state.left_out++;
        state.frames_lost += news->kind == MON_FRAME;
        return true;
    }
    struct watch_news *place = &state.ring[(state.first + state.count++) % ROOM];
    *place = *news;
    (void)snprintf(place->name, sizeof(place->name), "%s", name != NULL ? name : "");
    if (news->kind == MON_FRAME) {
        place->frame.lost += state.frames_lost;
        state.frames_lost = 0;
    }
    return news->kind != MON_FRAME || state.count >= ROOM / 2;
}

void watch_news_add(const struct watch_news *news, const char *name)
{
    bool is_urgent = false;

    lock();
    if (state.is_open) {
        draw(news);
        is_urgent = put(news, name);
    }
    unlock();
    if (is_urgent) {
        watch_bell_ring();
    }
}

void watch_window(enum watch_window what, uint32_t id, const char *name, int64_t at_ns,
                  bool has_state)
{
    struct watch_news news = {.at_ns = at_ns, .kind = MON_WINDOW};

    news.window.what = (uint32_t)what;
    news.window.id = id;
    news.window.has_state = has_state;
    news.window.position = beat_here().position;
    watch_news_add(&news, name);
}

void watch_app(enum watch_app what, int64_t at_ns, uint32_t value)
{
    struct watch_news news = {.at_ns = at_ns, .kind = MON_APP};

    news.app.what = (uint32_t)what;
    news.app.value = value;
    watch_news_add(&news, NULL);
}

static struct mon_frame told_as(const struct watch_frame *frame)
{
    const int64_t *stages = frame->stages_ns;

    return (struct mon_frame){
        .intended_ns = frame->intended_ns,
        .vsync_ns = frame->vsync_ns,
        .deadline_ns = frame->deadline_ns,
        .interval_ns = frame->interval_ns,
        .total_ns = frame->total_ns,
        .delay_ns = stages[WATCH_STAGE_DELAY],
        .input_ns = stages[WATCH_STAGE_INPUT],
        .animation_ns = stages[WATCH_STAGE_ANIMATION],
        .layout_ns = stages[WATCH_STAGE_LAYOUT],
        .draw_ns = stages[WATCH_STAGE_DRAW],
        .sync_ns = stages[WATCH_STAGE_SYNC],
        .issue_ns = stages[WATCH_STAGE_ISSUE],
        .swap_ns = stages[WATCH_STAGE_SWAP],
        .gpu_ns = stages[WATCH_STAGE_GPU],
        .lost = frame->lost,
        .is_first = frame->is_first,
    };
}

/* What cannot be is not even written down. */
bool watch_frame(const struct watch_frame *frame)
{
    struct watch_news news = {.kind = MON_FRAME, .frame = told_as(frame)};

    if (!mon_frame_is_sound(&news.frame)) {
        lock();
        state.left_out++;
        unlock();
        return false;
    }
    news.frame.interval_ns = mon_frame_interval_ns(&news.frame);
    news.at_ns = frame->intended_ns + frame->total_ns;
    watch_news_add(&news, NULL);
    return true;
}

bool watch_read_overlay(int64_t now_ns, struct watch_overlay *overlay)
{
    struct mon_overlay_view view;

    lock();
    bool is_open = state.is_open;
    state.is_shown = is_open;
    mon_overlay_show(&state.overlay, now_ns, &view);
    unlock();
    *overlay = (struct watch_overlay){
        .fps = view.fps,
        .refresh = view.refresh,
        .level = view.is_at_rest ? WATCH_AT_REST : (uint32_t)view.level,
        .score = view.score,
        .bar_count = view.bar_count,
    };
    for (uint32_t i = 0; i < WATCH_LEVEL_COUNT; i++) {
        overlay->shares[i] = view.shares[i];
    }
    for (uint32_t i = 0; i < view.bar_count; i++) {
        overlay->bars[i].fps = view.bars[i].fps;
        overlay->bars[i].level = (uint32_t)view.bars[i].level;
    }
    return is_open;
}
