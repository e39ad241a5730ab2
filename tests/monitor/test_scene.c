#include "simulator.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static struct sim *sim;
static struct mb_buf seen; /* one scene after another */

static void set_up(void)
{
    mb_buf_reset(&seen);
    sim = sim_create();
    sim_start(sim);
}

static void tear_down(void)
{
    sim_destroy(sim);
    mb_buf_finish(&seen);
}

TestSuite(scene, .init = set_up, .fini = tear_down);

/* What is shown, if that changed. */
static void note(void)
{
    const struct mon_scene *scene = mon_current_scene(sim->mon);
    struct mb_text name = mon_name(&sim->finder, scene->name);
    struct mb_buf now = {0};

    mb_buf_printf(&now, " %.*s%s", (int)name.size, name.data, scene->is_foreground ? "+" : "-");
    if (seen.size < now.size ||
        memcmp(seen.bytes + seen.size - now.size, now.bytes, now.size) != 0) {
        mb_buf_put(&seen, now.bytes, now.size);
    }
    mb_buf_finish(&now);
}

static void run(int64_t until_ms)
{
    while (sim->now_ns < until_ms * SIM_MS) {
        sim_run(sim, sim->now_ns / SIM_MS + 10);
        note();
    }
}

static void window(int64_t at_ms, enum mon_window_what what, uint32_t id, const char *name)
{
    struct mon_event event = {.at_ns = at_ms * SIM_MS, .kind = MON_WINDOW};

    run(at_ms);
    event.window.what = what;
    event.window.id = id;
    event.window.name = sim_name(sim, name);
    sim_feed(sim, &event);
    run(at_ms + 10);
}

static void open_window(int64_t at_ms, uint32_t id, const char *name)
{
    window(at_ms, MON_WINDOW_CREATED, id, name);
    window(at_ms + 10, MON_WINDOW_STARTED, id, name);
    window(at_ms + 20, MON_WINDOW_RESUMED, id, name);
    window(at_ms + 30, MON_WINDOW_FOCUSED, id, name);
}

static void say(int64_t at_ms, const char *name, bool is_foreground)
{
    struct mon_event event = {.at_ns = at_ms * SIM_MS, .kind = MON_SCENE};

    run(at_ms);
    event.scene.name = *name != '\0' ? sim_name(sim, name) : 0;
    event.scene.is_foreground = is_foreground;
    sim_feed(sim, &event);
    run(at_ms + 10);
}

static void expect(const char *wanted)
{
    mb_buf_put_u1(&seen, '\0');
    cr_assert_str_eq((const char *)seen.bytes, wanted);
}

Test(scene, without_windows_is_what_the_program_says)
{
    say(100, "one", true);
    say(200, "two", false);
    say(300, "", true);
    expect(" + one+ two- +");
}

Test(scene, goes_from_one_window_to_the_next)
{
    say(50, "", false);
    open_window(100, 1, "A");
    window(300, MON_WINDOW_PAUSED, 1, "A");
    window(310, MON_WINDOW_UNFOCUSED, 1, "A");
    open_window(320, 2, "B");
    window(400, MON_WINDOW_STOPPED, 1, "A");
    window(600, MON_WINDOW_PAUSED, 2, "B");
    window(610, MON_WINDOW_UNFOCUSED, 2, "B");
    window(620, MON_WINDOW_STARTED, 1, "A");
    window(630, MON_WINDOW_RESUMED, 1, "A");
    window(640, MON_WINDOW_FOCUSED, 1, "A");
    window(650, MON_WINDOW_STOPPED, 2, "B");
    window(660, MON_WINDOW_DESTROYED, 2, "B");
    run(3000);
    expect(" + - A+ B+ A+");
}

Test(scene, home_is_the_background_after_half_a_second)
{
    open_window(100, 1, "A");
    window(1000, MON_WINDOW_PAUSED, 1, "A");
    window(1010, MON_WINDOW_UNFOCUSED, 1, "A");
    window(1020, MON_WINDOW_STOPPED, 1, "A");
    run(1500);
    cr_assert(mon_current_scene(sim->mon)->is_foreground);
    run(1540);
    cr_assert(not(mon_current_scene(sim->mon)->is_foreground));
    window(5000, MON_WINDOW_STARTED, 1, "A");
    window(5010, MON_WINDOW_RESUMED, 1, "A");
    expect(" + - A+ - A+");
}

Test(scene, a_rotated_screen_is_not_in_the_background)
{
    open_window(100, 1, "A");
    window(1000, MON_WINDOW_PAUSED, 1, "A");
    window(1020, MON_WINDOW_STOPPED, 1, "A");
    window(1030, MON_WINDOW_DESTROYED, 1, "A");
    open_window(1200, 2, "A");
    run(3000);
    expect(" + - A+");
}

Test(scene, a_dialog_takes_the_focus_and_not_the_scene)
{
    open_window(100, 1, "A");
    window(500, MON_WINDOW_UNFOCUSED, 1, "A");
    run(3000);
    window(3000, MON_WINDOW_FOCUSED, 1, "A");
    expect(" + - A+");
}

Test(scene, of_two_windows_is_the_one_that_got_the_focus_last)
{
    open_window(100, 1, "A");
    open_window(300, 2, "B");
    window(500, MON_WINDOW_FOCUSED, 1, "A");
    window(600, MON_WINDOW_FOCUSED, 2, "B");
    window(700, MON_WINDOW_UNFOCUSED, 2, "B");
    expect(" + - A+ B+ A+ B+ A+");
}

Test(scene, a_name_of_the_program_stays_while_its_window_is_shown)
{
    open_window(100, 1, "A");
    say(200, "list", true);
    say(300, "item", true);
    window(400, MON_WINDOW_UNFOCUSED, 1, "A"); /* a dialog */
    window(500, MON_WINDOW_CREATED, 2, "B");
    say(520, "route", true); /* B names itself before it is shown */
    window(540, MON_WINDOW_STARTED, 2, "B");
    window(550, MON_WINDOW_RESUMED, 2, "B");
    window(600, MON_WINDOW_FOCUSED, 1, "A");
    expect(" + - A+ list+ item+ route+ A+");
}

Test(scene, takes_more_windows_than_it_has_room_for)
{
    for (uint32_t id = 1; id <= 100; id++) {
        open_window(id * 100, id, "A");
    }
    open_window(20000, 200, "last");
    cr_assert(mon_current_scene(sim->mon)->is_foreground);
    cr_assert(eq(u32, mon_current_scene(sim->mon)->name, sim_name(sim, "last")));
}

Test(scene, the_window_that_is_shown_keeps_its_place)
{
    open_window(100, 1, "A");
    for (uint32_t id = 2; id <= 16; id++) {
        window(id * 100, MON_WINDOW_STARTED, id, "B");
    }
    window(2000, MON_WINDOW_CREATED, 17, "C");
    window(2100, MON_WINDOW_PAUSED, 2, "B");
    expect(" + - A+");
}

Test(scene, random_events_leave_it_in_the_background_once_all_windows_are_gone)
{
    for (uint32_t script = 1; script <= 200; script++) {
        tear_down();
        set_up();
        srand(script);
        for (int64_t at = 100; at < 1000; at += 20) {
            window(at, (enum mon_window_what)(rand() % (MON_WINDOW_WHAT_COUNT + 1)),
                   (uint32_t)(rand() % 4), "A");
        }
        for (uint32_t id = 1; id < 4; id++) {
            window(1100 + id * 20, MON_WINDOW_DESTROYED, id, "A");
        }
        run(2000);
        cr_assert(not(mon_current_scene(sim->mon)->is_foreground), "%u", script);
        cr_assert(eq(u32, mon_current_scene(sim->mon)->name, 0), "%u", script);
    }
}
