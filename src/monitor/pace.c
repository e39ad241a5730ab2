#include "monitor/pace.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/number.h"

/* ---- Gaps ---- */

int64_t mon_gaps_add(struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns)
{
    int64_t from = gaps->count > 0
                       ? mb_max_i64(from_ns, gaps->gaps[(gaps->count - 1) % MON_GAP_COUNT].to_ns)
                       : from_ns;

    if (to_ns <= from) {
        return 0;
    }
    gaps->gaps[gaps->count++ % MON_GAP_COUNT] = (struct mon_gap){from, to_ns};
    return to_ns - from;
}

int64_t mon_gaps_within(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns)
{
    uint32_t count = gaps->count < MON_GAP_COUNT ? gaps->count : MON_GAP_COUNT;
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t from = mb_max_i64(from_ns, gaps->gaps[i].from_ns);
        int64_t to = mb_min_i64(to_ns, gaps->gaps[i].to_ns);
        sum += to > from ? to - from : 0;
    }
    return sum;
}

int64_t mon_watched(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns)
{
    int64_t watched = to_ns - from_ns - mon_gaps_within(gaps, from_ns, to_ns);

    return watched > 0 ? watched : 0;
}

/* ---- Frames ---- */

#define LONGEST_INTERVAL_NS INT64_C(50000000) /* 20 Hz */
#define LATEST_NS (INT64_C(1) << 57)
#define LONGEST_NS (INT64_C(1) << 42) /* an hour */

static bool is_moment(int64_t ns)
{
    return ns >= 0 && ns <= LATEST_NS;
}

static bool is_length(int64_t ns)
{
    return ns >= 0 && ns <= LONGEST_NS;
}

int64_t mon_frame_interval_ns(const struct mon_frame *frame)
{
    bool is_usable =
        frame->interval_ns >= MON_SHORTEST_INTERVAL_NS && frame->interval_ns <= LONGEST_INTERVAL_NS;

    return is_usable ? frame->interval_ns : MON_USUAL_INTERVAL_NS;
}

static int64_t zero_if_unknown(int64_t stage_ns)
{
    return stage_ns > 0 ? stage_ns : 0;
}

/* Time of the loop's stages. */
static int64_t loop_ns(const struct mon_frame *frame)
{
    return zero_if_unknown(frame->delay_ns) + zero_if_unknown(frame->input_ns) +
           zero_if_unknown(frame->animation_ns) + zero_if_unknown(frame->layout_ns) +
           zero_if_unknown(frame->draw_ns) + zero_if_unknown(frame->sync_ns);
}

bool mon_frame_clear(struct mon_frame *frame)
{
    int64_t *const stages[] = {&frame->delay_ns,  &frame->input_ns, &frame->animation_ns,
                               &frame->layout_ns, &frame->draw_ns,  &frame->sync_ns,
                               &frame->issue_ns,  &frame->swap_ns,  &frame->gpu_ns};
    bool has_total = is_length(frame->total_ns);

    for (size_t i = 0; i < MB_COUNT(stages); i++) {
        bool is_known = is_length(*stages[i]) || *stages[i] == MON_STAGE_CUT;
        *stages[i] = is_known ? *stages[i] : MON_STAGE_ODD;
    }
    frame->vsync_ns = is_moment(frame->vsync_ns) ? frame->vsync_ns : 0;
    if (!has_total || !is_length(frame->deadline_ns)) {
        frame->deadline_ns = MON_STAGE_ODD;
    }
    if (!has_total) {
        frame->total_ns = mb_min_i64(loop_ns(frame) + zero_if_unknown(frame->issue_ns) +
                                         zero_if_unknown(frame->swap_ns),
                                     LONGEST_NS);
    }
    return is_moment(frame->intended_ns);
}

/* Each of them works on another frame meanwhile. */
static int64_t longest_stage_ns(const struct mon_frame *frame)
{
    int64_t loop = loop_ns(frame);
    int64_t drawing = zero_if_unknown(frame->issue_ns) + zero_if_unknown(frame->swap_ns);

    return loop > 0 ? mb_max_i64(loop, mb_max_i64(drawing, zero_if_unknown(frame->gpu_ns)))
                    : frame->total_ns;
}

static int64_t loop_end_ns(const struct mon_frame *frame)
{
    int64_t loop = loop_ns(frame);

    return frame->intended_ns + (loop > 0 ? loop : frame->total_ns);
}

static int64_t vsync_of(const struct mon_frame *frame)
{
    return frame->vsync_ns > 0 ? frame->vsync_ns : frame->intended_ns;
}

static bool is_janky(const struct mon_frame *frame, int64_t interval_ns)
{
    if (frame->deadline_ns > 0) {
        return frame->total_ns > frame->deadline_ns;
    }
    return loop_ns(frame) > 2 * interval_ns;
}

/* At least one interval; halves round up. */
static void fill_paced(struct mon_paced *paced, const struct mon_frame *frame, int64_t time_ns)
{
    paced->frame = *frame;
    paced->interval_ns = mon_frame_interval_ns(frame);
    paced->time_ns = mb_max_i64(time_ns, paced->interval_ns);
    paced->late_ns = paced->time_ns - paced->interval_ns;
    paced->dropped = (uint32_t)((paced->late_ns + paced->interval_ns / 2) / paced->interval_ns);
    paced->is_janky = is_janky(frame, paced->interval_ns);
}

static void judge_alone(struct mon_paced *paced, const struct mon_frame *frame)
{
    int64_t interval = mon_frame_interval_ns(frame);

    fill_paced(paced, frame, interval * (1 + longest_stage_ns(frame) / interval));
}

bool mon_pace_end(struct mon_pace *pace, struct mon_paced *paced)
{
    bool has_last = pace->has_last;

    if (has_last) {
        paced->gap_ns = 0;
        judge_alone(paced, &pace->last);
    }
    pace->has_last = false;
    return has_last;
}

/* The vsyncs apart, without the time for which the program was stopped. */
static void judge_by_next(struct mon_paced *paced, const struct mon_frame *frame,
                          const struct mon_frame *next, const struct mon_gaps *gaps)
{
    paced->gap_ns = gaps != NULL ? mon_watched(gaps, vsync_of(frame), vsync_of(next))
                                 : vsync_of(next) - vsync_of(frame);
    if (next->intended_ns <= loop_end_ns(frame) + mon_frame_interval_ns(frame) &&
        paced->gap_ns <= LONGEST_NS) {
        fill_paced(paced, frame, paced->gap_ns);
    } else {
        judge_alone(paced, frame);
    }
}

bool mon_pace_add(struct mon_pace *pace, const struct mon_frame *frame, const struct mon_gaps *gaps,
                  struct mon_paced *paced, bool *is_left_out)
{
    *is_left_out = frame->is_first || frame->intended_ns <= pace->newest_ns;
    if (frame->intended_ns <= pace->newest_ns) {
        return false;
    }
    bool has_last = pace->has_last;
    if (has_last) {
        judge_by_next(paced, &pace->last, frame, gaps);
    }
    pace->newest_ns = frame->intended_ns;
    pace->has_last = !frame->is_first;
    pace->last = *frame;
    return has_last;
}

/* ---- Levels ---- */

static enum mon_level level_of(int64_t lost, const int64_t limits[MON_LEVEL_COUNT])
{
    enum mon_level level = MON_LEVEL_BEST;

    for (enum mon_level i = MON_LEVEL_NORMAL; i < MON_LEVEL_COUNT; i++) {
        if (lost >= limits[i]) {
            level = i;
        }
    }
    return level;
}

/* By whole intervals, so that 3 of 16.67 ms are 50 ms. */
enum mon_level mon_level_of(const struct mon_options *options, const struct mon_paced *paced)
{
    static const int64_t frames[MON_LEVEL_COUNT] = {0, 3, 9, 24, 42}; /* Matrix's defaults */
    static const int64_t ms[MON_LEVEL_COUNT] = {0, 50, 150, 400, 700};

    if (options->preset == MON_PRESET_MATRIX) {
        return level_of(paced->dropped, frames);
    }
    return level_of((paced->dropped * paced->interval_ns + paced->interval_ns / 8) / MB_NS_PER_MS,
                    ms);
}
