#include "monitor/watch/inbox.h"

#include "base/clock.h"
#include "base/json.h"
#include "monitor/overlay.h"
#include "monitor/watch/bell.h"
#include "monitor/watch/log.h"
#include "monitor/watch/methodbeat_watch.h"
#include "recorder/here.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATEST_NS (INT64_C(1) << 57)

_Static_assert(WATCH_BAR_COUNT == MON_BAR_COUNT, "the same bars");
_Static_assert((int)WATCH_WINDOW_UNFOCUSED == (int)MON_WINDOW_UNFOCUSED, "the same words");
_Static_assert((int)WATCH_APP_FULLY_DRAWN == (int)MON_APP_DRAWN, "the same words");

/* Each source has room of its own, so that frames crowd out no setting and no custom issue. */
enum source { SCREENS, SETTINGS, CUSTOM, SOURCE_COUNT };

#define SCREEN_ROOM 256u /* two seconds at 120 Hz */
#define SETTING_ROOM 32u
#define CUSTOM_ROOM 32u
#define ROOM (SCREEN_ROOM + SETTING_ROOM + CUSTOM_ROOM)

static const uint32_t rooms[SOURCE_COUNT] = {SCREEN_ROOM, SETTING_ROOM, CUSTOM_ROOM};

static struct {
    pthread_mutex_t lock;
    bool is_open; /* this and all fields below: under the lock */
    uint32_t first;
    uint32_t count;
    uint32_t waiting[SOURCE_COUNT]; /* their sum is count */
    struct watch_event ring[ROOM];
    uint32_t frames_lost; /* since the last frame that found room */
    uint64_t dropped;
    bool is_shown; /* the overlay is on screen */
    uint32_t window;
    struct mon_options options;
    struct mon_overlay overlay;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void take_lock(void)
{
    (void)pthread_mutex_lock(&state.lock);
}

static void release_lock(void)
{
    (void)pthread_mutex_unlock(&state.lock);
}

static enum source source_of(enum mon_kind kind)
{
    return kind == MON_OPTION ? SETTINGS : kind == MON_REPORT ? CUSTOM : SCREENS;
}

/* ---- The ring ---- */

static void add_event(const struct watch_event *event, const char *name)
{
    struct watch_event *place = &state.ring[(state.first + state.count++) % ROOM];

    *place = *event;
    (void)snprintf(place->name, sizeof(place->name), "%s", name != NULL ? name : "");
    state.waiting[source_of(event->kind)]++;
    if (event->kind == MON_FRAME) {
        place->frame.lost += state.frames_lost;
        state.frames_lost = 0;
    }
}

static bool take_event(struct watch_event *event)
{
    if (state.count == 0) {
        return false;
    }
    *event = state.ring[state.first];
    state.first = (state.first + 1) % ROOM;
    state.count--;
    state.waiting[source_of(event->kind)]--;
    return true;
}

static void show_on_overlay(const struct watch_event *event)
{
    if (state.is_shown && event->kind == MON_FRAME) {
        mon_overlay_add(&state.overlay, &event->frame, &state.options);
    } else if (event->kind == MON_WINDOW && event->window.what == MON_WINDOW_RESUMED &&
               event->window.id != state.window) {
        state.window = event->window.id;
        mon_overlay_next_scene(&state.overlay);
    }
}

/* False: dropped. */
static bool put_event(const struct watch_event *event, const char *name)
{
    const enum source source = source_of(event->kind);
    bool has_room = state.waiting[source] < rooms[source];

    show_on_overlay(event);
    if (has_room && event->at_ns >= 0 && event->at_ns <= LATEST_NS) {
        add_event(event, name);
        return true;
    }
    state.dropped += event->owned == NULL; /* the caller says so of the others */
    state.frames_lost += event->kind == MON_FRAME;
    return false;
}

bool watch_inbox_put(const struct watch_event *event, const char *name)
{
    take_lock();
    bool is_open = state.is_open;
    bool is_taken = is_open && put_event(event, name);
    /* Frames can wait while there is room: more of them come whenever a loop moves. */
    bool is_urgent = event->kind != MON_FRAME || state.waiting[SCREENS] >= SCREEN_ROOM / 2;
    release_lock();
    if (is_open && is_urgent) {
        watch_bell_ring();
    }
    return is_taken;
}

bool watch_inbox_take(struct watch_event *event)
{
    take_lock();
    bool is_taken = take_event(event);
    release_lock();
    return is_taken;
}

uint64_t watch_inbox_dropped(void)
{
    take_lock();
    uint64_t dropped = state.dropped;
    release_lock();
    return dropped;
}

/* ---- Opening and closing ---- */

void watch_inbox_open(const struct mon_options *options)
{
    take_lock();
    state.is_open = true;
    state.options = *options;
    release_lock();
}

static void reset_inbox(void)
{
    state.is_open = false;
    state.first = state.count = state.frames_lost = 0;
    memset(state.waiting, 0, sizeof(state.waiting));
    state.is_shown = false;
    memset(&state.overlay, 0, sizeof(state.overlay));
}

void watch_inbox_close(void)
{
    struct watch_event event;

    take_lock();
    while (take_event(&event)) {
        free(event.owned);
    }
    reset_inbox();
    release_lock();
}

void watch_inbox_forget(void)
{
    (void)pthread_mutex_init(&state.lock, NULL);
    reset_inbox();
}

/* ---- Windows, the start, frames ---- */

void watch_window(enum watch_window what, uint32_t id, const char *name, int64_t at_ns,
                  bool has_state)
{
    struct watch_event event = {.at_ns = at_ns, .kind = MON_WINDOW};

    event.window.what = (uint32_t)what;
    event.window.id = id;
    event.window.has_state = has_state;
    event.window.position = beat_here().position;
    (void)watch_inbox_put(&event, name);
}

void watch_app(enum watch_app what, int64_t at_ns, uint32_t value)
{
    struct watch_event event = {.at_ns = at_ns, .kind = MON_APP};

    event.app.what = (uint32_t)what;
    event.app.value = value;
    (void)watch_inbox_put(&event, NULL);
}

static struct mon_frame frame_of(const struct watch_frame *frame)
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

/* An impossible frame does not reach the rules. */
bool watch_frame(const struct watch_frame *frame)
{
    struct watch_event event = {.kind = MON_FRAME, .frame = frame_of(frame)};

    if (!mon_frame_clear(&event.frame)) {
        take_lock();
        state.dropped++;
        release_lock();
        return false;
    }
    event.frame.interval_ns = mon_frame_interval_ns(&event.frame);
    event.at_ns = frame->intended_ns + event.frame.total_ns;
    (void)watch_inbox_put(&event, NULL);
    return true;
}

bool watch_read_overlay(int64_t now_ns, struct watch_overlay *overlay)
{
    struct mon_overlay_view view;

    take_lock();
    bool is_open = state.is_open;
    state.is_shown = is_open;
    mon_overlay_show(&state.overlay, now_ns, &view);
    release_lock();
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

/* ---- Issues of the program's own ---- */

/* Only letters, digits and marks that file names may have; not a detail of the monitors. */
static bool is_free_detail(struct mb_text detail)
{
    static const char others[] = "_.-";

    for (size_t i = 0; i < detail.size; i++) {
        char c = detail.data[i];
        char lower = (char)(c | 0x20);
        if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') &&
            memchr(others, c, sizeof(others) - 1) == NULL) {
            return false;
        }
    }
    for (enum mon_detail i = MON_NOTHING; i < MON_DETAIL_COUNT; i++) {
        if (mb_text_equal_any_case(detail, mb_text_of(mon_detail_name(i)))) {
            return false;
        }
    }
    return detail.size > 0 && detail.size < WATCH_CUSTOM_DETAIL_SIZE;
}

static bool is_valid(struct mb_text detail, struct mb_text key, struct mb_text json)
{
    if (!is_free_detail(detail)) {
        watch_log("no issue: its detail is 1 to %u letters, digits, _ . - and not methodbeat's",
                  WATCH_CUSTOM_DETAIL_SIZE - 1);
        return false;
    }
    if (key.size >= WATCH_TEXT_SIZE) {
        watch_log("no issue: its key is at most %u bytes", WATCH_TEXT_SIZE - 1);
        return false;
    }
    if (json.size > 0 && (json.size >= WATCH_CUSTOM_JSON_SIZE || !mb_json_is_value(json))) {
        watch_log("no issue: what it is to hold is one JSON value of at most %u bytes",
                  WATCH_CUSTOM_JSON_SIZE - 1);
        return false;
    }
    return true;
}

static const char *append_text(char **end, struct mb_text text)
{
    char *copy = *end;

    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    *end += text.size + 1;
    return copy;
}

struct watch_custom *watch_custom_create(const char *detail, const char *key, const char *json)
{
    const struct mb_text texts[] = {mb_text_of(detail != NULL ? detail : ""),
                                    mb_text_of(key != NULL ? key : ""),
                                    mb_text_of(json != NULL ? json : "")};

    if (!is_valid(texts[0], texts[1], texts[2])) {
        return NULL;
    }
    struct watch_custom *custom =
        malloc(sizeof(*custom) + texts[0].size + texts[1].size + texts[2].size + 3);
    if (custom == NULL) {
        watch_log("no issue: out of memory");
        return NULL;
    }
    char *end = (char *)(custom + 1);
    *custom = (struct watch_custom){.at_ns = mb_clock_now_ns(),
                                    .detail = append_text(&end, texts[0]),
                                    .key = append_text(&end, texts[1]),
                                    .json = append_text(&end, texts[2])};
    watch_loops_name_caller(custom->thread);
    return custom;
}
