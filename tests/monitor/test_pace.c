#include "monitor/drawn.h"
#include "monitor/pace.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

static uint64_t seed;

static int64_t pick(int64_t least, int64_t most)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return least + (int64_t)((seed >> 33) % (uint64_t)(most - least + 1));
}

/* A display and a loop that draws on it, as they are: frames are wanted at a vsync, begun when the
 * loop is free, drawn by others meanwhile. */
struct display {
    int64_t interval_ns;
    int64_t vsync_ns;  /* the next frame's */
    int64_t free_ns;   /* the loop, from the last one */
    int64_t loop_ns;   /* what a frame takes there */
    int64_t behind_ns; /* and then elsewhere, before it is done */
};

static struct mon_frame draw(struct display *d)
{
    struct mon_frame frame = {.intended_ns = d->vsync_ns, .interval_ns = d->interval_ns};
    int64_t start = d->vsync_ns > d->free_ns ? d->vsync_ns : d->free_ns;
    int64_t late = start - d->vsync_ns;

    frame.vsync_ns = late >= d->interval_ns ? start - late % d->interval_ns : d->vsync_ns;
    frame.delay_ns = late;
    frame.draw_ns = d->loop_ns;
    frame.gpu_ns = d->behind_ns / 2; /* two stages, each for itself */
    frame.swap_ns = d->behind_ns - frame.gpu_ns;
    frame.total_ns = late + d->loop_ns + d->behind_ns;
    d->free_ns = start + d->loop_ns;
    /* Wanted again as the frame begins: at the next vsync after that. */
    d->vsync_ns += d->interval_ns * (late / d->interval_ns + 1);
    return frame;
}

struct stream {
    struct mon_pace pace;
    struct mon_drawn drawn;
    struct mon_options options;
    uint32_t left_out;
};

static struct stream stream;

static void set_up(void)
{
    stream = (struct stream){.left_out = 0};
    mon_options_init(&stream.options);
}

TestSuite(pace, .init = set_up);

static void add(const struct mon_frame *frame)
{
    struct mon_paced paced;
    bool is_left_out;

    if (mon_pace_add(&stream.pace, frame, NULL, &paced, &is_left_out)) {
        mon_drawn_add(&stream.drawn, &paced, &stream.options);
    }
    stream.left_out += is_left_out;
}

static void end(void)
{
    struct mon_paced paced;

    if (mon_pace_end(&stream.pace, &paced)) {
        mon_drawn_add(&stream.drawn, &paced, &stream.options);
    }
}

static double fps(void)
{
    return (double)mon_drawn_fps(&stream.drawn) / 100;
}

struct steady_case {
    char what[64];
    int64_t rate;
    int64_t loop_us;
    int64_t behind_us;
    double fps;
};

static const struct steady_case steady_cases[] = {
    {"60 Hz", 60, 5000, 5000, 60},
    {"90 Hz", 90, 5000, 4000, 90},
    {"120 Hz", 120, 3000, 3000, 120},
    {"240 Hz", 240, 1000, 2000, 240},
    {"25 ms of latency at steady 60", 60, 8000, 17000, 60},
    {"25 ms of latency at steady 120", 120, 7000, 14000, 120},
    {"25 ms of work at 60", 60, 25000, 1000, 40},
    {"10 ms of work at 120", 120, 10000, 1000, 100},
    {"100 ms of work at 60", 60, 100000, 1000, 10},
};

EACH_ROW(pace, of_a_steady_stream, steady_cases);

ParameterizedTest(size_t *row, pace, of_a_steady_stream)
{
    const struct steady_case *c = &steady_cases[*row];
    struct display display = {.interval_ns = 1000 * MS / c->rate,
                              .vsync_ns = 1000 * MS,
                              .loop_ns = c->loop_us * 1000,
                              .behind_ns = c->behind_us * 1000};

    set_up();
    for (int i = 0; i < 600; i++) {
        struct mon_frame frame = draw(&display);
        add(&frame);
    }
    end();
    cr_assert(lt(dbl, fps(), c->fps + 0.5), "%s: %f", c->what, fps());
    cr_assert(gt(dbl, fps(), c->fps - 0.5), "%s: %f", c->what, fps());
    cr_assert(eq(u32, stream.drawn.frames, 600));
}

/* What a clock beside the display counts: frames over the time from the first vsync to the last,
 * stretch by stretch, and for the last one of each what it takes alone. */
Test(pace, of_random_lives_is_what_a_clock_counts)
{
    static const int64_t rates[] = {60, 90, 120, 240};

    for (uint32_t script = 1; script <= 500; script++) {
        struct display display = {.vsync_ns = 1000 * MS};
        int64_t truth_ns = 0;
        uint32_t frames = 0;
        seed = script;
        set_up();
        for (int64_t bursts = pick(1, 6); bursts > 0; bursts--) {
            struct mon_frame frame = {0};
            int64_t first = -1;
            display.interval_ns = 1000 * MS / rates[pick(0, 3)];
            display.behind_ns = pick(0, 2 * display.interval_ns);
            for (int64_t count = pick(2, 80); count > 0; count--, frames++) {
                display.loop_ns = pick(0, 9) == 0 ? pick(1 * MS, 60 * MS)
                                                  : pick(MS / 2, display.interval_ns * 3 / 4);
                frame = draw(&display);
                add(&frame);
                first = first < 0 ? frame.vsync_ns : first;
            }
            int64_t alone = frame.delay_ns + frame.draw_ns;
            alone = alone > display.behind_ns - display.behind_ns / 2
                        ? alone
                        : display.behind_ns - display.behind_ns / 2;
            truth_ns +=
                frame.vsync_ns - first + display.interval_ns * (1 + alone / display.interval_ns);
            display.vsync_ns = display.free_ns + pick(300 * MS, 5000 * MS);
        }
        end();
        double truth = (double)frames * 1e9 / (double)truth_ns;
        cr_assert(eq(u32, stream.drawn.frames, frames));
        cr_assert(lt(dbl, fps(), truth + 0.5), "%u: %f, not %f", script, fps(), truth);
        cr_assert(gt(dbl, fps(), truth - 0.5), "%u: %f, not %f", script, fps(), truth);
    }
}

Test(pace, a_slow_film_on_a_quick_display_is_no_loss)
{
    struct display display = {.interval_ns = 1000 * MS / 120, .vsync_ns = 1000 * MS, .loop_ns = MS};

    for (int i = 0; i < 300; i++) {
        struct mon_frame frame = draw(&display);
        add(&frame);
        display.vsync_ns += 3 * display.interval_ns;
    }
    end();
    cr_assert(eq(i64, mon_drawn_fps(&stream.drawn) / 100, 120));
    cr_assert(eq(i64, (mon_drawn_rate(&stream.drawn) + 50) / 100, 30));
    cr_assert(eq(u32, stream.drawn.janky, 0));
    cr_assert(eq(i64, stream.drawn.late_ns, 0));
}

Test(pace, leaves_out_the_first_of_a_window_and_what_is_told_twice)
{
    struct mon_frame frame = {.intended_ns = 1000 * MS, .total_ns = 300 * MS, .is_first = true};

    add(&frame);
    frame = (struct mon_frame){.intended_ns = 1400 * MS, .total_ns = 5 * MS};
    add(&frame);
    add(&frame);
    frame.intended_ns = 1300 * MS;
    add(&frame);
    end();
    cr_assert(eq(u32, stream.drawn.frames, 1));
    cr_assert(eq(u32, stream.left_out, 3));
    cr_assert(eq(i64, stream.drawn.longest_ns, MON_USUAL_INTERVAL_NS));
}

Test(pace, knows_times_that_cannot_be)
{
    struct mon_frame frame = {.intended_ns = 5};

    cr_assert(mon_frame_clear(&frame));
    frame.gpu_ns = INT64_MAX;
    frame.vsync_ns = -1;
    frame.deadline_ns = 7;
    cr_assert(mon_frame_clear(&frame));
    cr_assert(eq(i64, frame.gpu_ns, MON_STAGE_ODD));
    cr_assert(eq(i64, frame.vsync_ns, 0));
    cr_assert(eq(i64, frame.deadline_ns, 7));
    frame.gpu_ns = MON_STAGE_CUT;
    frame.total_ns = INT64_MAX - 5;
    frame.layout_ns = 3;
    frame.swap_ns = 4;
    cr_assert(mon_frame_clear(&frame));
    cr_assert(eq(i64, frame.gpu_ns, MON_STAGE_CUT));
    cr_assert(eq(i64, frame.total_ns, 7));
    cr_assert(eq(i64, frame.deadline_ns, MON_STAGE_ODD));
    frame.intended_ns = INT64_MAX / 2;
    cr_assert(not(mon_frame_clear(&frame)));
}

Test(pace, a_time_that_is_not_known_makes_no_frame_disappear)
{
    struct mon_frame frame = {.total_ns = -1, .deadline_ns = 16 * MS, .draw_ns = 40 * MS};

    for (int i = 0; i < 4; i++) {
        frame.intended_ns = (100 + i * 41) * MS;
        cr_assert(mon_frame_clear(&frame));
        add(&frame);
    }
    end();
    cr_assert(eq(u32, stream.drawn.frames, 4));
    cr_assert(eq(u32, stream.drawn.lacking, 4));
}

Test(pace, takes_displays_that_cannot_be_for_usual_ones)
{
    static const int64_t intervals[][2] = {{0, 16666667},         {-5, 16666667},
                                           {1000 * MS, 16666667}, {3999999, 16666667},
                                           {8333333, 8333333},    {50 * MS, 50 * MS}};

    for (size_t i = 0; i < MB_COUNT(intervals); i++) {
        const struct mon_frame frame = {.interval_ns = intervals[i][0]};
        cr_assert(eq(i64, mon_frame_interval_ns(&frame), intervals[i][1]));
    }
}

/* Matrix's levels at 60 Hz, by time and by count. */
Test(pace, has_the_levels_of_matrix_at_60_hz)
{
    static const struct {
        uint32_t dropped;
        enum mon_level level;
    } rows[] = {{0, MON_LEVEL_BEST},    {2, MON_LEVEL_BEST},   {3, MON_LEVEL_NORMAL},
                {8, MON_LEVEL_NORMAL},  {9, MON_LEVEL_MIDDLE}, {23, MON_LEVEL_MIDDLE},
                {24, MON_LEVEL_HIGH},   {41, MON_LEVEL_HIGH},  {42, MON_LEVEL_FROZEN},
                {500, MON_LEVEL_FROZEN}};
    static const char *const ways[] = {"development", "matrix"};
    static const int64_t intervals[] = {16666666, 16666667, 16666700};

    for (size_t i = 0; i < MB_COUNT(rows) * MB_COUNT(ways) * MB_COUNT(intervals); i++) {
        size_t row = i / (MB_COUNT(ways) * MB_COUNT(intervals));
        const struct mon_paced paced = {.dropped = rows[row].dropped,
                                        .interval_ns = intervals[i % MB_COUNT(intervals)]};
        cr_assert(mon_options_set(&stream.options, "preset", ways[i / MB_COUNT(intervals) % 2]));
        cr_assert(eq(int, mon_level_of(&stream.options, &paced), rows[row].level), "%u",
                  rows[row].dropped);
    }
}

Test(pace, by_time_a_level_is_the_same_at_any_rate)
{
    const struct mon_paced five = {.dropped = 5, .interval_ns = 8333333};
    const struct mon_paced six = {.dropped = 6, .interval_ns = 8333333};

    cr_assert(eq(int, mon_level_of(&stream.options, &five), MON_LEVEL_BEST));
    cr_assert(eq(int, mon_level_of(&stream.options, &six), MON_LEVEL_NORMAL));
}

Test(pace, jank_is_a_missed_deadline_or_a_loop_of_two_intervals)
{
    struct mon_frame frame = {.intended_ns = 1000 * MS, .draw_ns = 34 * MS, .total_ns = 40 * MS};
    struct mon_pace pace = {0};
    struct mon_paced paced;
    bool is_left_out;

    (void)mon_pace_add(&pace, &frame, NULL, &paced, &is_left_out);
    cr_assert(mon_pace_end(&pace, &paced));
    cr_assert(paced.is_janky);
    frame.intended_ns += 1000 * MS;
    frame.deadline_ns = 41 * MS;
    (void)mon_pace_add(&pace, &frame, NULL, &paced, &is_left_out);
    cr_assert(mon_pace_end(&pace, &paced));
    cr_assert(not(paced.is_janky));
    frame.intended_ns += 1000 * MS;
    frame.deadline_ns = 39 * MS;
    (void)mon_pace_add(&pace, &frame, NULL, &paced, &is_left_out);
    cr_assert(mon_pace_end(&pace, &paced));
    cr_assert(paced.is_janky);
}

Test(pace, a_stop_of_the_program_is_not_its_loss)
{
    struct mon_gaps gaps = {0};
    struct mon_pace pace = {0};
    struct mon_paced paced;
    struct mon_frame frame = {
        .intended_ns = 1000 * MS, .delay_ns = 5016 * MS, .total_ns = 5020 * MS};
    bool is_left_out;

    (void)mon_gaps_add(&gaps, 1005 * MS, 6005 * MS);
    (void)mon_pace_add(&pace, &frame, &gaps, &paced, &is_left_out);
    frame = (struct mon_frame){.intended_ns = 6017 * MS, .draw_ns = MS, .total_ns = 2 * MS};
    cr_assert(mon_pace_add(&pace, &frame, &gaps, &paced, &is_left_out));
    cr_assert(eq(i64, paced.time_ns, 17 * MS));
}

/* ---- Gaps ---- */

Test(gaps, count_where_they_lie)
{
    struct mon_gaps gaps = {.count = 0};

    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100), 0));
    cr_assert(eq(i64, mon_gaps_add(&gaps, 10, 20), 10));
    cr_assert(eq(i64, mon_gaps_add(&gaps, 30, 60), 30));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100), 40));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 15, 35), 10), "the end of one, the begin of another");
    cr_assert(eq(i64, mon_gaps_within(&gaps, 20, 30), 0));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 40, 50), 10));
    cr_assert(eq(i64, mon_watched(&gaps, 15, 35), 10));
    cr_assert(eq(i64, mon_watched(&gaps, 35, 15), 0));
}

Test(gaps, do_not_count_twice)
{
    struct mon_gaps gaps = {.count = 0};

    (void)mon_gaps_add(&gaps, 10, 20);
    cr_assert(eq(i64, mon_gaps_add(&gaps, 15, 25), 5));
    cr_assert(eq(i64, mon_gaps_add(&gaps, 12, 22), 0));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100), 15));
}

Test(gaps, the_oldest_goes)
{
    struct mon_gaps gaps = {.count = 0};

    for (int64_t i = 0; i < MON_GAP_COUNT + 1; i++) {
        (void)mon_gaps_add(&gaps, i * 10, i * 10 + 1);
    }
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 10), 0));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100000), MON_GAP_COUNT));
}
