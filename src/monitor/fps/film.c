#include "monitor/fps/film.h"

#include "base/clock.h"

#include <string.h>

#define FILM_NS INT64_C(42000000) /* 1 s / 24, plus the error of the clocks */
#define REST_NS MB_NS_PER_S       /* between two frames: nothing had to be drawn */
#define RECENT 3u
#define MOST_SHIFT_NS (INT64_C(1) << 61) /* sums of this and of a time fit */

void fps_film_init(struct fps_film *film, const struct fps_seconds *out)
{
    memset(film, 0, sizeof(*film));
    mon_options_init(&film->options);
    film->out = *out;
}

void fps_film_finish(struct fps_film *film)
{
    mb_buf_finish(&film->lengths.buf);
}

/* ---- Seconds ---- */

static int64_t per_second(int64_t count, int64_t over_ns)
{
    return over_ns > 0 ? (count * 100 * MB_NS_PER_S + over_ns / 2) / over_ns : 0;
}

static void end_second(struct fps_film *film)
{
    if (film->has_second) {
        film->second.fps = per_second(film->second.frames, film->second_ns);
        film->second.refresh = per_second(film->second.frames, film->second_interval_ns);
        film->out.take(film->out.context, &film->second);
    }
    film->has_second = false;
}

/* Seconds count from the first frame, so that equal frames give equal seconds. */
static struct fps_second *second_at(struct fps_film *film, int64_t at_ns)
{
    int64_t begin = film->first_ns + (at_ns - film->first_ns) / MB_NS_PER_S * MB_NS_PER_S;

    if (film->has_second && film->second.begin_ns != begin) {
        end_second(film);
    }
    if (!film->has_second) {
        film->has_second = true;
        film->second = (struct fps_second){.begin_ns = begin};
        film->second_ns = film->second_interval_ns = 0;
    }
    return &film->second;
}

/* ---- Frames ---- */

static bool is_jank(const struct fps_film *film, int64_t time_ns, int64_t film_frames)
{
    int64_t sum = film->recent_ns[0] + film->recent_ns[1] + film->recent_ns[2];

    return film->recent_count >= RECENT && time_ns > 2 * (sum / RECENT) &&
           time_ns > film_frames * FILM_NS;
}

static void add_frame(struct fps_film *film, int64_t at_ns, const struct mon_paced *paced)
{
    if (film->drawn.frames == 0) {
        film->first_ns = at_ns;
    }
    struct fps_second *second = second_at(film, at_ns);
    enum mon_level level = mon_level_of(&film->options, paced);
    bool is_janky = is_jank(film, paced->time_ns, 2);
    bool is_very_janky = is_jank(film, paced->time_ns, 3);

    mon_drawn_add(&film->drawn, paced, &film->options);
    MB_VEC_PUSH(&film->lengths, paced->time_ns);
    film->last_ns = at_ns + paced->time_ns;
    film->recent_ns[film->recent_count++ % RECENT] = paced->time_ns;
    film->janky += is_janky;
    film->very_janky += is_very_janky;
    film->janky_ns += is_janky ? paced->time_ns : 0;
    film->late += paced->dropped > 0;
    second->frames++;
    second->janky += is_janky;
    second->very_janky += is_very_janky;
    second->late += paced->dropped > 0;
    second->level = level > second->level ? level : second->level;
    second->longest_ns = paced->time_ns > second->longest_ns ? paced->time_ns : second->longest_ns;
    film->second_ns += paced->time_ns;
    film->second_interval_ns += mon_frame_interval_ns(&paced->frame);
}

/* ---- Presented frames ---- */

static uint32_t slots_of(int64_t gap_ns, int64_t period_ns)
{
    int64_t slots = (gap_ns + period_ns / 2) / period_ns;

    return slots > 1 ? (uint32_t)slots : 1;
}

/* How many vsyncs most of the last frames took: a film of 30 frames on a display of 120 Hz is not
 * late. */
static uint32_t cadence_of(const struct fps_film *film)
{
    uint32_t known = film->slot_count < MB_COUNT(film->slots) ? film->slot_count
                                                              : (uint32_t)MB_COUNT(film->slots);
    uint32_t best = 1;
    uint32_t best_count = 0;

    for (uint32_t i = 0; i < known; i++) {
        uint32_t count = 0;
        for (uint32_t j = 0; j < known; j++) {
            count += film->slots[j] == film->slots[i];
        }
        if (count > best_count || (count == best_count && film->slots[i] < best)) {
            best = film->slots[i];
            best_count = count;
        }
    }
    return best_count >= 4 ? best : 1;
}

static void add_gap(struct fps_film *film, int64_t at_ns, int64_t gap_ns, int64_t period_ns)
{
    uint32_t slots = slots_of(gap_ns, period_ns);
    int64_t interval;

    film->slots[film->slot_count++ % MB_COUNT(film->slots)] = slots;
    interval = cadence_of(film) * period_ns;
    struct mon_paced paced = {
        .interval_ns = interval,
        .time_ns = gap_ns,
        .late_ns = gap_ns > interval ? gap_ns - interval : 0,
        .gap_ns = gap_ns,
        .frame = {.intended_ns = at_ns, .interval_ns = period_ns},
    };
    paced.dropped = (uint32_t)((paced.late_ns + interval / 2) / interval);
    add_frame(film, at_ns, &paced);
}

/* Times of a device that has started again begin anew: the film goes on where it was. */
static int64_t film_time(struct fps_film *film, int64_t at_ns)
{
    if (film->has_last && at_ns + film->shift_ns < film->last.at_ns &&
        film->shift_ns < MOST_SHIFT_NS) {
        film->shift_ns = film->last.at_ns - at_ns;
    }
    return at_ns + film->shift_ns;
}

void fps_film_present(struct fps_film *film, const struct fps_present *present)
{
    int64_t at = film_time(film, present->at_ns);
    int64_t gap = film->has_last ? at - film->last.at_ns : 0;

    if (film->has_last && !present->is_break && gap > 0 && gap < REST_NS) {
        if (gap * 2 < film->last.period_ns) {
            return; /* the same frame, on another display */
        }
        add_gap(film, film->last.at_ns, gap, film->last.period_ns);
    } else if (film->has_last) {
        film->recent_count = 0;
    }
    film->has_last = true;
    film->last = *present;
    film->last.at_ns = at;
}

/* ---- Frames whose stages are known ---- */

static void add_paced(struct fps_film *film, const struct mon_paced *paced)
{
    const struct mon_frame *frame = &paced->frame;
    int64_t at = frame->vsync_ns > 0 ? frame->vsync_ns : frame->intended_ns;

    if (paced->gap_ns > REST_NS) {
        film->recent_count = 0;
    }
    add_frame(film, at, paced);
}

void fps_film_frame(struct fps_film *film, const struct mon_frame *frame)
{
    struct mon_paced paced;
    bool is_left_out;

    if (mon_pace_add(&film->pace, frame, NULL, &paced, &is_left_out)) {
        add_paced(film, &paced);
    }
}

/* ---- The whole ---- */

enum mb_status fps_film_end(struct fps_film *film, struct mb_error *err)
{
    struct mon_paced paced;

    if (mon_pace_end(&film->pace, &paced)) {
        add_paced(film, &paced);
    }
    end_second(film);
    MB_VEC_SORT(&film->lengths, fps_compare_times);
    return mb_buf_check(&film->lengths.buf, err);
}

int64_t fps_film_percentile(const struct fps_film *film, int percent)
{
    size_t count = MB_VEC_COUNT(&film->lengths);
    size_t rank = (count * (size_t)percent + 99) / 100;

    return count > 0 ? film->lengths.items[rank > 0 ? rank - 1 : 0] : 0;
}

int64_t fps_film_stutter(const struct fps_film *film)
{
    return film->drawn.time_ns / 10000 > 0 ? film->janky_ns / (film->drawn.time_ns / 10000) : 0;
}
