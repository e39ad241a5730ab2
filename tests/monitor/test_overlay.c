#include "monitor/overlay.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MS INT64_C(1000000)
#define INTERVAL (1000 * MS / 60)

static struct mon_options options;
static struct mon_overlay overlay;
static struct mon_overlay_view view;
static int64_t vsync;

static void set_up(void)
{
    mon_options_init(&options);
    overlay = (struct mon_overlay){0};
    vsync = 1000 * MS;
}

TestSuite(overlay, .init = set_up);

/* Frames that each take so many vsyncs. */
static void draw(int count, int64_t vsyncs)
{
    for (int i = 0; i < count; i++) {
        const struct mon_frame frame = {.intended_ns = vsync,
                                        .draw_ns = vsyncs * INTERVAL - MS,
                                        .total_ns = vsyncs * INTERVAL - MS};
        mon_overlay_add(&overlay, &frame, &options);
        vsync += vsyncs * INTERVAL;
    }
}

Test(overlay, is_at_rest_before_anything_is_drawn)
{
    mon_overlay_show(&overlay, 0, &view);
    cr_assert(view.is_at_rest);
    cr_assert(eq(u32, view.fps, 60));
    cr_assert(eq(u32, view.bar_count, 0));
}

Test(overlay, has_a_bar_for_each_200_ms_of_drawing_and_keeps_ten_seconds)
{
    draw(13, 1);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(u32, view.bar_count, 1));
    cr_assert(eq(u32, view.bars[0].fps, 60));
    draw(60 * 20, 1);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(u32, view.bar_count, MON_BAR_COUNT));
    cr_assert(eq(u32, view.fps, 60));
    cr_assert(not(view.is_at_rest));
}

Test(overlay, the_oldest_bar_is_the_first)
{
    draw(13, 2);
    draw(13 * 3, 1);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(u32, view.bars[0].fps, 30));
    cr_assert(eq(u32, view.bars[view.bar_count - 1].fps, 60));
}

Test(overlay, has_the_colour_of_its_worst_frame)
{
    draw(5, 1);
    draw(1, 10);
    draw(1, 1);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(u32, view.bar_count, 1));
    cr_assert(eq(int, view.level, MON_LEVEL_MIDDLE));
    draw(13, 1);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(int, view.level, MON_LEVEL_BEST), "the next stretch is one of its own");
}

Test(overlay, rests_250_ms_after_the_last_frame)
{
    draw(20, 2);
    mon_overlay_show(&overlay, overlay.newest_ns + 249 * MS, &view);
    cr_assert(not(view.is_at_rest));
    cr_assert(eq(u32, view.fps, 30));
    mon_overlay_show(&overlay, overlay.newest_ns + 250 * MS, &view);
    cr_assert(view.is_at_rest);
    cr_assert(eq(u32, view.fps, 60));
    cr_assert(eq(int, view.level, MON_LEVEL_BEST));
}

Test(overlay, tells_how_the_frames_of_a_scene_share_out)
{
    draw(8, 1);
    draw(1, 4);  /* normal */
    draw(1, 50); /* frozen */
    draw(1, 1);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(u32, view.shares[MON_LEVEL_BEST], 80));
    cr_assert(eq(u32, view.shares[MON_LEVEL_NORMAL], 10));
    cr_assert(eq(u32, view.shares[MON_LEVEL_FROZEN], 10));
    cr_assert(eq(u32, view.score, 6)); /* (1 + 60) / 10 */
    mon_overlay_next_scene(&overlay);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(u32, view.shares[MON_LEVEL_BEST], 0));
    cr_assert(eq(u32, view.score, 0));
}

Test(overlay, marks_go_with_the_rate)
{
    const struct mon_frame frame = {.intended_ns = vsync, .interval_ns = 8333333, .total_ns = MS};

    mon_overlay_add(&overlay, &frame, &options);
    mon_overlay_show(&overlay, vsync, &view);
    cr_assert(eq(u32, view.refresh, 120));
}
