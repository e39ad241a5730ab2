#include "monitor/watch/inbox.h"
#include "monitor/watch/methodbeat_watch.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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
    then = ((int64_t)now.tv_sec - 5) * 1000 * MS; /* a start of 30 s is ignored */
    cr_assert(watch_set("fps_hitch_ms", "0"));
    cr_assert(watch_set("often", ""));
    cr_assert(watch_set("cpu_enable", "off"));
    cr_assert(watch_listen(hear, NULL));
    cr_assert(watch_start());
}

TestSuite(inbox, .init = start, .fini = watch_stop, .timeout = 60);

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

Test(inbox, a_start_is_told)
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

Test(inbox, frames_are_those_of_the_window_that_is_shown)
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
Test(inbox, what_finds_no_room_is_counted)
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

Test(inbox, times_that_cannot_be_are_refused)
{
    struct watch_frame frame = frame_at(1);
    struct watch_counters counters;

    frame.intended_ns = INT64_MAX;
    cr_assert(not(watch_frame(&frame)));
    frame = frame_at(1);
    frame.stages_ns[WATCH_STAGE_GPU] = INT64_MAX;
    cr_assert(watch_frame(&frame));
    watch_read_counters(&counters);
    cr_assert(eq(u64, counters.news_left_out, 1));
}

Test(inbox, is_forgotten_while_nobody_watches)
{
    watch_stop();
    draw(200);
    watch_window(WATCH_WINDOW_CREATED, 7, "a.b.Main", at(0), false);
    cr_assert(watch_start());
    watch_stop();
    cr_assert(eq(int, heard.count, 0));
}

Test(inbox, the_overlay_shows_what_was_drawn_since_it_was_asked_for)
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

/* ---- Without a watcher ---- */

static bool put(enum mon_kind kind, void *owned)
{
    const struct watch_event event = {.at_ns = 1, .kind = kind, .owned = owned};

    return watch_inbox_put(&event, "name");
}

static uint32_t put_until_full(enum mon_kind kind, bool has_memory)
{
    void *owned = has_memory ? malloc(1) : NULL;
    uint32_t count = 0;

    while (put(kind, owned)) {
        count++;
        owned = has_memory ? malloc(1) : NULL;
    }
    free(owned);
    return count;
}

static void open_inbox(void)
{
    struct mon_options options;

    mon_options_init(&options);
    watch_inbox_open(&options);
}

Test(inbox_alone, has_room_of_its_own_for_each_source, .init = open_inbox)
{
    cr_assert(eq(u32, put_until_full(MON_FRAME, false), 256));
    cr_assert(eq(u32, put_until_full(MON_OPTION, true), 32));
    cr_assert(eq(u32, put_until_full(MON_REPORT, true), 32));
    cr_assert(not(put(MON_SCENE, NULL)));
    cr_assert(eq(u64, watch_inbox_dropped(), 2)); /* the refused frame and the scene */
    watch_inbox_close();
}

Test(inbox_alone, keeps_the_order_and_the_memory, .init = open_inbox)
{
    static const enum mon_kind kinds[] = {MON_SCENE, MON_REPORT, MON_FRAME, MON_OPTION, MON_APP};
    struct watch_event event;

    for (int round = 0; round < 100; round++) { /* around the ring, too */
        void *memory[MB_COUNT(kinds)];
        for (size_t i = 0; i < MB_COUNT(kinds); i++) {
            memory[i] = kinds[i] == MON_REPORT || kinds[i] == MON_OPTION ? malloc(1) : NULL;
            cr_assert(put(kinds[i], memory[i]));
        }
        for (size_t i = 0; i < MB_COUNT(kinds); i++) {
            cr_assert(watch_inbox_take(&event));
            cr_assert(eq(int, (int)event.kind, (int)kinds[i]));
            cr_assert_str_eq(event.name, "name");
            cr_assert(event.owned == memory[i]);
            free(event.owned);
        }
        cr_assert(not(watch_inbox_take(&event)));
    }
}

Test(inbox_alone, counts_lost_frames_in_the_next_one, .init = open_inbox)
{
    struct watch_event event;

    cr_assert(eq(u32, put_until_full(MON_FRAME, false), 256));
    cr_assert(not(put(MON_FRAME, NULL)));
    cr_assert(watch_inbox_take(&event));
    cr_assert(put(MON_FRAME, NULL));
    for (int i = 0; i < 255; i++) {
        cr_assert(watch_inbox_take(&event));
        cr_assert(eq(u32, event.frame.lost, 0));
    }
    cr_assert(watch_inbox_take(&event));
    cr_assert(eq(u32, event.frame.lost, 2));
}

Test(inbox_alone, refuses_impossible_times, .init = open_inbox)
{
    static const int64_t times[] = {-1, INT64_MIN, (INT64_C(1) << 57) + 1, INT64_MAX};

    for (size_t i = 0; i < MB_COUNT(times); i++) {
        const struct watch_event event = {.at_ns = times[i], .kind = MON_SCENE};
        cr_expect(not(watch_inbox_put(&event, NULL)));
    }
    cr_assert(eq(u64, watch_inbox_dropped(), MB_COUNT(times)));
}

Test(inbox_alone, takes_nothing_while_it_is_closed, .init = open_inbox)
{
    struct watch_event event;

    cr_assert(put(MON_REPORT, malloc(1))); /* freed by close */
    watch_inbox_close();
    cr_assert(not(put(MON_SCENE, NULL)));
    cr_assert(not(watch_inbox_take(&event)));
    cr_assert(eq(u64, watch_inbox_dropped(), 0));
    open_inbox();
    cr_assert(eq(u32, put_until_full(MON_REPORT, true), 32));
    watch_inbox_close();
}

/* ---- Issues of the program's own ---- */

#define CUSTOM_KEPT 64

/* ---- Texts ---- */

static const struct {
    const char *what;
    const char *detail;
    const char *key;
    const char *json;
    bool is_right;
} cases[] = {
    {"all", "checkout", "cart.empty", "{\"a\":1}", true},
    {"a detail alone", "Aa0_.-", NULL, NULL, true},
    {"empty texts", "a", "", "", true},
    {"31 bytes", "0123456789012345678901234567890", NULL, NULL, true},
    {"32 bytes", "01234567890123456789012345678901", NULL, NULL, false},
    {"no detail", NULL, NULL, NULL, false},
    {"an empty one", "", "key", "1", false},
    {"one of ours", "LAG", NULL, NULL, false},
    {"one of ours, in small letters", "cpu", NULL, NULL, false},
    {"the one that stands for all", "Custom", NULL, NULL, false},
    {"no letter", "a/b", NULL, NULL, false},
    {"a blank", "a b", NULL, NULL, false},
    {"beyond ASCII", "caf\xc3\xa9", NULL, NULL, false},
    {"a key beyond ASCII", "a", "caf\xc3\xa9", NULL, true},
    {"no JSON", "a", NULL, "{a}", false},
    {"two values", "a", NULL, "1 2", false},
};

EACH_ROW(custom, is_refused_unless_its_texts_are_valid, cases);

ParameterizedTest(size_t *row, custom, is_refused_unless_its_texts_are_valid)
{
    struct watch_custom *custom =
        watch_custom_create(cases[*row].detail, cases[*row].key, cases[*row].json);

    cr_expect(eq(int, custom != NULL, cases[*row].is_right), "%s", cases[*row].what);
    free(custom);
}

static bool is_right(size_t key_size, size_t json_size)
{
    char *text = malloc(WATCH_CUSTOM_JSON_SIZE + 1);

    memset(text, 'x', key_size);
    text[key_size] = '\0';
    char *key = strdup(text);
    memset(text, ' ', json_size);
    text[0] = '1';
    text[json_size] = '\0';
    struct watch_custom *custom = watch_custom_create("a", key, text);
    bool is_there =
        custom != NULL && strcmp(custom->key, key) == 0 && strcmp(custom->json, text) == 0;
    free(custom);
    free(key);
    free(text);
    return is_there;
}

Test(custom, is_only_so_long)
{
    cr_assert(is_right(127, 65535));
    cr_assert(not(is_right(128, 1)));
    cr_assert(not(is_right(1, 65536)));
}

/* ---- Reported ---- */

static struct {
    pthread_mutex_t lock;
    uint32_t count;
    char details[CUSTOM_KEPT][WATCH_CUSTOM_DETAIL_SIZE];
    char json[CUSTOM_KEPT][2048];
} heard_custom = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hear_custom(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)pthread_mutex_lock(&heard_custom.lock);
    if (heard_custom.count < CUSTOM_KEPT) {
        (void)snprintf(heard_custom.details[heard_custom.count], WATCH_CUSTOM_DETAIL_SIZE, "%s",
                       issue->detail);
        (void)snprintf(heard_custom.json[heard_custom.count], sizeof(heard_custom.json[0]), "%s",
                       issue->json);
    }
    heard_custom.count++;
    (void)pthread_mutex_unlock(&heard_custom.lock);
}

static void start_custom(void)
{
    cr_assert(watch_set("cpu_enable", "off"));
    cr_assert(watch_listen(hear_custom, NULL));
    cr_assert(watch_start());
}

Test(custom, is_heard, .init = start_custom, .timeout = 60)
{
    cr_assert(watch_report("checkout", "cart", "{\"items\":0}"));
    cr_assert(not(watch_report("LAG", "cart", NULL)));
    watch_stop();
    cr_assert(eq(u32, heard_custom.count, 1));
    cr_assert_str_eq(heard_custom.details[0], "checkout");
    cr_assert_not_null(strstr(heard_custom.json[0], "\"value\":{\"items\":0}"), "%s",
                       heard_custom.json[0]);
}

Test(custom, is_refused_while_nobody_watches, .timeout = 60)
{
    cr_assert(not(watch_report("checkout", NULL, NULL)));
    start_custom();
    watch_stop();
    cr_assert(not(watch_report("checkout", NULL, NULL)));
    cr_assert(eq(u32, heard_custom.count, 0));
}

static _Atomic(uint32_t) told;

static void *tell_ten(void *key)
{
    for (int i = 0; i < 10; i++) {
        atomic_fetch_add(&told, watch_report("busy", key, "[]"));
    }
    return NULL;
}

/* Each that was taken on is heard_custom, or counted where the disk is too slow for it: here it is
 * not. */
Test(custom, is_told_by_any_thread, .init = start_custom, .timeout = 60)
{
    pthread_t threads[4];
    char keys[4][2] = {"a", "b", "c", "d"};

    for (int i = 0; i < 4; i++) {
        cr_assert(eq(int, pthread_create(&threads[i], NULL, tell_ten, keys[i]), 0));
    }
    for (int i = 0; i < 4; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    watch_stop();
    cr_assert(ge(u32, atomic_load(&told), 10));
    cr_assert(le(u32, heard_custom.count, atomic_load(&told)));
    cr_assert(gt(u32, heard_custom.count, 0));
}
