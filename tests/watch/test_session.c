#include "watch/session.h"

#include "watch/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct watch_session session;
static struct watch_counters counters;
static struct watch_names *names;
static json_t *json;

static void begin(void)
{
    names = watch_names_create();
    counters = (struct watch_counters){.lengths = {100, 5}}; /* of a life before */
    watch_session_begin(&session, 1000, &counters);
}

static void finish(void)
{
    json_decref(json);
    watch_names_destroy(names);
}

TestSuite(session, .init = begin, .fini = finish, .timeout = 60);

static void show(const char *scene, int64_t now_ns)
{
    watch_session_show(&session, watch_names_add(names, mb_text_of(scene)), now_ns, &counters);
}

static void end(int64_t now_ns)
{
    const struct watch_counters present = {.looks = 7, .gap_ns = 9};
    const struct watch_ending ending = {.now_ns = now_ns,
                                        .wall_ns = INT64_C(1790000000000000000),
                                        .start = 0x5f1c,
                                        .process = "com.\"x\"",
                                        .process_counters = &counters,
                                        .counters = &present};
    const struct mon_names view = watch_names_view(names);
    struct mb_buf text = {0};

    watch_session_put(&text, &session, &ending, &view);
    json = json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(json, "%.*s", (int)text.size, (const char *)text.bytes);
    mb_buf_finish(&text);
}

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static json_int_t length(const json_t *object, size_t class)
{
    return json_integer_value(json_array_get(json_object_get(object, "lengths"), class));
}

static const json_t *scene(size_t index)
{
    return json_array_get(json_object_get(json, "scenes"), index);
}

Test(session, counts_its_own_messages)
{
    counters.lengths[0] += 40;
    counters.lengths[15] += 2;
    end(5000);
    cr_assert(eq(i64, number(json, "messages"), 42));
    cr_assert(eq(i64, length(json, 0), 40));
    cr_assert(eq(i64, length(json, 1), 0));
    cr_assert(eq(i64, length(json, 15), 2));
    cr_assert(eq(i64, number(json, "lasted_ns"), 4000));
    cr_assert(eq(i64, number(json, "ended"), 1790000000000));
    cr_assert(eq(i64, number(json, "looks"), 7));
    cr_assert_str_eq(json_string_value(json_object_get(json, "process")), "com.\"x\"");
    cr_assert_str_eq(json_string_value(json_object_get(json, "start")), "5f1c");
}

Test(session, tells_scenes_apart)
{
    counters.lengths[0] += 1;
    show("a.Main", 1500);
    counters.lengths[1] += 10;
    show("a.Other", 2500);
    show("a.Main", 3000);
    counters.lengths[1] += 100;
    end(3100);
    cr_assert(eq(sz, json_array_size(json_object_get(json, "scenes")), 3));
    cr_assert(eq(i64, number(scene(0), "messages"), 1));
    cr_assert(eq(i64, number(scene(0), "shown_ns"), 500));
    cr_assert_str_eq(json_string_value(json_object_get(scene(1), "scene")), "a.Main");
    cr_assert(eq(i64, number(scene(1), "messages"), 110));
    cr_assert(eq(i64, number(scene(1), "shown_ns"), 1100));
    cr_assert(eq(i64, number(scene(2), "messages"), 0));
    cr_assert(eq(i64, number(json, "messages"), 111));
}

Test(session, has_all_times_of_more_scenes_than_fit)
{
    json_int_t shown = 0;

    for (int i = 0; i < 100; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "scene%d", i);
        counters.lengths[0]++;
        show(name, 1000 + 10 * (i + 1));
    }
    end(2010);
    for (size_t i = 0; i < WATCH_SCENE_COUNT; i++) {
        shown += number(scene(i), "shown_ns");
    }
    cr_assert(eq(sz, json_array_size(json_object_get(json, "scenes")), WATCH_SCENE_COUNT));
    cr_assert(eq(i64, shown, 1010));
    cr_assert(eq(i64, number(json, "messages"), 100));
}

/* After 1, 2, 4 ... seconds, then each minute, if there was a message. */
Test(session, is_due_when_it_has_lasted_twice_as_long)
{
    static const int64_t dues_s[] = {1, 2, 4, 8, 16, 32, 64, 124, 184};
    const int64_t second = 1000000000;
    int64_t now = 1000;

    cr_assert(eq(i64, watch_session_due_ns(&session, &counters), INT64_MAX));
    for (size_t i = 0; i < sizeof(dues_s) / sizeof(dues_s[0]); i++) {
        counters.messages++;
        now = 1000 + dues_s[i] * second;
        cr_assert(eq(i64, watch_session_due_ns(&session, &counters), now));
        end(now);
        cr_assert(eq(i64, watch_session_due_ns(&session, &counters), INT64_MAX));
        json_decref(json);
    }
    json = NULL;
}

/* ---- In a program ---- */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    if (strstr(path, "/session-") != NULL) {
        cr_assert_null(json, "one file");
        json = json_load_file(path, 0, NULL);
    }
    return remove(path);
}

Test(session, is_written_at_its_end)
{
    char folder[] = "/tmp/methodbeat-session-XXXXXX";

    cr_assert_not_null(mkdtemp(folder));
    cr_assert(watch_set("spool", folder));
    cr_assert(watch_start());
    watch_scene("a.b.Main", true);
    for (int i = 0; i < 1000; i++) {
        watch_begin();
        watch_end();
    }
    watch_stop();
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    cr_assert_not_null(json);
    cr_assert(eq(i64, number(json, "messages"), 1000));
    cr_assert(gt(i64, number(json, "looks"), 0));
}
