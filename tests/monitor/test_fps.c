#include "simulator.h"

#include "monitor/drawn.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define INTERVAL (1000 * SIM_MS / 60)

static struct sim *sim;
static int64_t vsync;

static void set_up(void)
{
    sim = sim_create();
    vsync = 1000 * SIM_MS;
}

static void tear_down(void)
{
    sim_destroy(sim);
}

TestSuite(fps, .init = set_up, .fini = tear_down);

static void say(const char *name, bool is_foreground)
{
    struct mon_event event = {.at_ns = sim->now_ns, .kind = MON_SCENE};

    event.scene.name = sim_name(sim, name);
    event.scene.is_foreground = is_foreground;
    sim_feed(sim, &event);
    sim_run(sim, sim->now_ns / SIM_MS + 1);
}

/* Frames that each take so many vsyncs on the loop. */
static void draw(int count, int64_t vsyncs)
{
    for (int i = 0; i < count; i++) {
        struct mon_event event = {.kind = MON_FRAME};
        event.frame = (struct mon_frame){.intended_ns = vsync,
                                         .interval_ns = INTERVAL,
                                         .draw_ns = vsyncs * INTERVAL - 2 * SIM_MS,
                                         .gpu_ns = SIM_MS,
                                         .total_ns = vsyncs * INTERVAL - SIM_MS};
        event.at_ns = vsync + event.frame.total_ns;
        vsync += vsyncs * INTERVAL;
        sim_feed(sim, &event);
        sim_run(sim, vsync / SIM_MS + 1);
    }
}

static void set(const char *name, const char *value)
{
    cr_assert(mon_options_set(&sim->options, name, value));
}

static const char *told(void)
{
    mb_buf_put_u1(&sim->text, '\0');
    sim->text.size--;
    return (const char *)sim->text.bytes;
}

Test(fps, what_is_drawn_well_is_told_if_asked)
{
    sim_start(sim);
    say("a.b.Main", true);
    draw(60 * 21, 1);
    cr_assert(eq(u32, sim->issue_count, 0));
    tear_down();
    set_up();
    set("fps_hitch_ms", "0");
    sim_start(sim);
    say("a.b.Main", true);
    draw(60 * 21, 1);
    cr_assert(eq(u32, sim->issue_count, 2), "each ten seconds of drawing");
    cr_assert(eq(int, sim->issues[0].detail, MON_FPS));
    cr_assert(ge(i64, sim->issues[0].watched_ns, 10000 * SIM_MS));
    cr_assert_not_null(strstr(told(), "\"fps\":60.00"));
}

Test(fps, what_hitches_is_told)
{
    sim_start(sim);
    say("a.b.Main", true);
    for (int i = 0; i < 21; i++) {
        draw(28, 1);
        draw(1, 2);
    }
    cr_assert(eq(u32, sim->issue_count, 1));
}

Test(fps, one_frozen_frame_is_enough)
{
    set("fps_hitch_ms", "1000");
    sim_start(sim);
    say("a.b.Main", true);
    draw(100, 1);
    draw(1, 43);
    draw(600, 1);
    cr_assert(eq(u32, sim->issue_count, 1));
}

Test(fps, idle_time_does_not_count)
{
    set("fps_hitch_ms", "0");
    sim_start(sim);
    say("a.b.Main", true);
    for (int i = 0; i < 59; i++) {
        draw(10, 1);
        vsync += 5000 * SIM_MS;
    }
    cr_assert(eq(u32, sim->issue_count, 0), "9.8 s of drawing in 5 minutes");
    draw(20, 1);
    cr_assert(eq(u32, sim->issue_count, 1));
    cr_assert_not_null(strstr(told(), "\"fps\":60.00"));
}

Test(fps, a_scene_that_is_left_is_told_if_it_drew_for_a_second)
{
    set("fps_hitch_ms", "0");
    sim_start(sim);
    say("one", true);
    draw(59, 1);
    say("two", true);
    draw(61, 1);
    say("three", true);
    draw(61, 2);
    say("three", false);
    draw(100, 1); /* in the background */
    cr_assert(eq(u32, sim->issue_count, 2));
    cr_assert_not_null(strstr(told(), "\"scene\":\"two\""));
    cr_assert_not_null(strstr(told(), "\"scene\":\"three\""));
    cr_assert_not_null(strstr(told(), "\"fps\":30.00"));
}

Test(fps, the_rest_is_told_at_the_end)
{
    struct mon_event stop = {.kind = MON_STOP};

    set("fps_hitch_ms", "0");
    sim_start(sim);
    draw(100, 1);
    stop.at_ns = sim->now_ns;
    sim_feed(sim, &stop);
    sim_run(sim, sim->now_ns / SIM_MS + 300);
    cr_assert(eq(u32, sim->issue_count, 1));
}

Test(fps, counts_what_cannot_be)
{
    struct mon_event event = {.kind = MON_FRAME, .at_ns = 1};

    sim_start(sim);
    event.frame.intended_ns = 1;
    event.frame.gpu_ns = INT64_MAX;
    sim_feed(sim, &event);
    event.frame.gpu_ns = 0;
    sim_feed(sim, &event);
    event.frame.sync_ns = MON_STAGE_CUT;
    sim_feed(sim, &event);
    sim_run(sim, 1000);
    cr_assert(eq(u64, mon_counters(sim->mon)->frames_left_out, 2));
}

Test(fps, off_is_off)
{
    set("fps_enable", "0");
    set("fps_hitch_ms", "0");
    sim_start(sim);
    draw(60 * 11, 2);
    cr_assert(eq(u32, sim->issue_count, 0));
}

Test(fps, a_debugged_program_is_not_judged)
{
    struct mon_event event = {.kind = MON_PROCESS};

    sim_start(sim);
    event.process.is_debugged = true;
    sim_feed(sim, &event);
    draw(60 * 11, 2);
    cr_assert(eq(u32, sim->issue_count, 0));
    cr_assert(eq(u64, mon_counters(sim->mon)->debugged, 2));
}

/* The same frames in any order within a tick: the same issues. */
Test(fps, does_not_hang_on_the_order_of_a_batch)
{
    struct mb_buf first = {0};

    for (uint64_t shuffle = 0; shuffle < 20; shuffle++) {
        tear_down();
        set_up();
        set("fps_hitch_ms", "0");
        sim_start(sim);
        sim->shuffle = shuffle;
        for (int i = 0; i < 900; i++) {
            struct mon_event event = {.kind = MON_FRAME};
            int64_t vsyncs = i % 50 == 7 ? 5 : 1;
            event.frame = (struct mon_frame){.intended_ns = vsync,
                                             .draw_ns = vsyncs * INTERVAL - 1,
                                             .total_ns = vsyncs * INTERVAL};
            event.at_ns = vsync + event.frame.total_ns;
            vsync += vsyncs * INTERVAL;
            sim_feed(sim, &event);
            if (i % 12 == 11) {
                sim_run(sim, vsync / SIM_MS + 1);
            }
        }
        if (shuffle == 0) {
            mb_buf_put(&first, sim->text.bytes, sim->text.size);
        }
        cr_assert(gt(u32, sim->issue_count, 0));
        cr_assert(eq(sz, sim->text.size, first.size), "%d", (int)shuffle);
        cr_assert(eq(int, memcmp(sim->text.bytes, first.bytes, first.size), 0));
    }
    mb_buf_finish(&first);
}
