#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

static int heard_count;

static void hear(void *context, const char *scene, bool has_focus)
{
    (void)snprintf(context, 64, "%s%s", has_focus ? "+" : "-", scene);
    heard_count++;
}

Test(scene, listeners_hear_news_only)
{
    char last[64] = "";

    cr_assert(beat_listen(hear, last));
    beat_at("a.Main", true);
    beat_at("a.Main", true);
    cr_assert(eq(int, heard_count, 1));
    cr_assert_str_eq(last, "+a.Main");
    beat_at("a.Other", false);
    cr_assert(eq(int, heard_count, 1));
    beat_at("a.Main", false);
    cr_assert_str_eq(last, "-a.Main");
}

Test(scene, the_latest_focus_is_the_scene)
{
    char name[64];

    beat_scene(name, sizeof(name));
    cr_assert_str_eq(name, "");
    beat_at("a.One", true);
    beat_at("a.Two", true);
    beat_scene(name, sizeof(name));
    cr_assert_str_eq(name, "a.Two");
    beat_at("a.Two", false);
    beat_scene(name, 4);
    cr_assert_str_eq(name, "a.O");
}

Test(scene, scenes_that_never_lose_the_focus_do_not_pile_up)
{
    char name[64];

    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof(name), "a.Scene%d", i);
        beat_at(name, true);
    }
    beat_scene(name, sizeof(name));
    cr_assert_str_eq(name, "a.Scene99");
}
