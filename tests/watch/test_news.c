#include "watch/methodbeat_watch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MS INT64_C(1000000)
#define INTERVAL (1000 * MS / 60)
#define KEPT 8

/* What the listener heard; it is done when watch_stop returns. */
static struct {
    int count;
    char details[KEPT][16];
    char json[KEPT][4096];
} heard;

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    if (heard.count < KEPT) {
        (void)snprintf(heard.details[heard.count], sizeof(heard.details[0]), "%s", issue->detail);
        (void)snprintf(heard.json[heard.count], sizeof(heard.json[0]), "%s", issue->json);
    }
    heard.count++;
}

static int64_t then; /* long enough ago for all that is told */

static void start(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    then = ((int64_t)now.tv_sec - 30) * 1000 * MS; /* a machine runs longer before it runs this */
    cr_assert(watch_set("fps_report", "always"));
    cr_assert(watch_set("start_most_ms", "600000")); /* the watcher's own clock goes on */
    cr_assert(watch_set("often", ""));
    cr_assert(watch_set("cpu_enable", "off"));
    cr_assert(watch_listen(hear, NULL));
    cr_assert(watch_start());
}

TestSuite(news, .init = start, .fini = watch_stop, .timeout = 60);

static int64_t at(int64_t ms)
{
    return then + ms * MS;
}

static struct watch_frame frame_at(int64_t number)
{
    struct watch_frame frame = {.intended_ns = then + number * INTERVAL, .total_ns = 10 * MS};

    frame.stages_ns[WATCH_STAGE_DRAW] = 8 * MS;
    frame.stages_ns[WATCH_STAGE_GPU] = 2 * MS;
    return frame;
}

/* All that was told by others is told to the rules before they stop. */
static void draw(int64_t count)
{
    for (int64_t i = 1; i <= count; i++) {
        const struct watch_frame frame = frame_at(i);
        cr_assert(watch_frame(&frame));
    }
}

Test(news, a_start_is_told)
{
    watch_app(WATCH_APP_PROCESS, at(0), 0);
    watch_app(WATCH_APP_INSTALLED, at(100), 1);
    watch_app(WATCH_APP_CREATED, at(300), 159);
    watch_window(WATCH_WINDOW_CREATED, 7, "a.b.Main", at(320), true);
    watch_window(WATCH_WINDOW_STARTED, 7, "a.b.Main", at(330), false);
    watch_window(WATCH_WINDOW_DRAWN, 7, "a.b.Main", at(700), false);
    watch_window(WATCH_WINDOW_FOCUSED, 7, "a.b.Main", at(710), false);
    watch_stop();
    cr_assert(eq(int, heard.count, 1));
    cr_assert_str_eq(heard.details[0], "START");
    cr_assert_not_null(strstr(heard.json[0], "\"application_create\":300,"
                                             "\"application_create_scene\":159,"
                                             "\"first_activity_create\":710,"
                                             "\"startup_duration\":710"));
    cr_assert_not_null(strstr(heard.json[0], "\"start\":{\"kind\":\"cold\",\"screen\":\"a.b.Main\","
                                             "\"saved_state\":true,\"drawn_ms\":700"));
}

Test(news, frames_are_those_of_the_window_that_is_shown)
{
    watch_window(WATCH_WINDOW_CREATED, 7, "a.b.Main", at(0), false);
    watch_window(WATCH_WINDOW_RESUMED, 7, "a.b.Main", at(1), false);
    draw(200);
    watch_stop();
    cr_assert(eq(int, heard.count, 1));
    cr_assert_str_eq(heard.details[0], "FPS");
    cr_assert_not_null(strstr(heard.json[0], "\"scene\":\"a.b.Main\""), "%s", heard.json[0]);
    cr_assert_not_null(strstr(heard.json[0], "\"fps\":60.00"), "%s", heard.json[0]);
    cr_assert_not_null(strstr(heard.json[0], "\"DRAW_DURATION\":8000000"), "%s", heard.json[0]);
}

/* More than there is room for, from a program that the watcher cannot keep up with. */
Test(news, what_finds_no_room_is_counted)
{
    struct watch_counters counters;

    draw(20000);
    watch_stop();
    watch_read_counters(&counters);
    cr_assert(gt(int, heard.count, 0));
    uint64_t told = 0;
    uint64_t lost = 0;
    for (int i = 0; i < heard.count && i < KEPT; i++) {
        unsigned long long number;
        const char *place = strstr(heard.json[i], "\"frames\":{\"count\":");
        cr_assert(eq(int, sscanf(place, "\"frames\":{\"count\":%llu", &number), 1));
        told += number;
        place = strstr(place, "\"lost\":");
        cr_assert(eq(int, sscanf(place, "\"lost\":%llu", &number), 1));
        lost += number;
    }
    cr_assert(le(u64, lost, counters.news_left_out));
    cr_assert(le(u64, told + lost, 20000));
}

Test(news, times_that_cannot_be_are_refused)
{
    struct watch_frame frame = frame_at(1);
    struct watch_counters counters;

    frame.stages_ns[WATCH_STAGE_GPU] = INT64_MAX;
    cr_assert(not(watch_frame(&frame)));
    frame.stages_ns[WATCH_STAGE_GPU] = WATCH_STAGE_CUT;
    cr_assert(watch_frame(&frame));
    watch_read_counters(&counters);
    cr_assert(eq(u64, counters.news_left_out, 1));
}

Test(news, is_forgotten_while_nobody_watches)
{
    watch_stop();
    draw(200);
    watch_window(WATCH_WINDOW_CREATED, 7, "a.b.Main", at(0), false);
    cr_assert(watch_start());
    watch_stop();
    cr_assert(eq(int, heard.count, 0));
}

Test(news, the_overlay_shows_what_was_drawn_since_it_was_asked_for)
{
    struct watch_overlay overlay;
    const struct watch_frame last = frame_at(100);

    draw(50);
    cr_assert(watch_read_overlay(at(10000), &overlay));
    cr_assert(eq(u32, overlay.bar_count, 0));
    for (int64_t i = 51; i <= 100; i++) {
        const struct watch_frame frame = frame_at(i);
        cr_assert(watch_frame(&frame));
    }
    cr_assert(watch_read_overlay(last.intended_ns + 100 * MS, &overlay));
    cr_assert(eq(u32, overlay.fps, 60));
    cr_assert(eq(u32, overlay.level, 0));
    cr_assert(eq(u32, overlay.shares[0], 100));
    cr_assert(gt(u32, overlay.bar_count, 2));
    cr_assert(watch_read_overlay(last.intended_ns + 300 * MS, &overlay));
    cr_assert(eq(u32, overlay.level, WATCH_AT_REST));
    watch_stop();
    cr_assert(not(watch_read_overlay(at(0), &overlay)));
}
