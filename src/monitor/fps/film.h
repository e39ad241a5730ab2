/* Figures of a run of frames, per second and in total, from presentation times or from stages. */

#ifndef MONITOR_FPS_FILM_H
#define MONITOR_FPS_FILM_H

#include "base/text.h"
#include "base/vec.h"
#include "monitor/drawn.h"
#include "monitor/overlay.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Presented frames ---- */

/* `dumpsys SurfaceFlinger --latency LAYER`: when the newest frames of a layer were presented.
 *
 *   16666667                               ns between two vsyncs
 *   123456  133333  123999                 wanted, presented, ready; CLOCK_MONOTONIC, oldest first
 *   0  0  0                                not used yet
 *   140000  9223372036854775807  140500    not presented yet
 *                                          an empty line; another layer of that name may follow
 *
 * Polls overlap; a layer keeps 127 rows. */

#define FPS_PENDING INT64_MAX
#define FPS_RING 127u

/* What is known of a layer, poll after poll; zeroed memory knows nothing. */
struct fps_latency {
    int64_t period_ns;
    int64_t newest_ns; /* presented last; 0: none yet */
    uint32_t lost;     /* polls that came too late: frames between them are not known */
    uint32_t reboots;  /* times that run back */
    uint32_t rows;     /* of this poll, presented */
};

/* A new frame. is_break: frames between it and the previous one may be missing. */
struct fps_present {
    int64_t at_ns;
    int64_t period_ns;
    bool is_break;
};

struct fps_presents {
    void (*take)(void *context, const struct fps_present *present);
    void *context;
};

/* Pass on the new frames, in order of time; of several layers, those of the layer that presented
 * last. MB_BAD_TEXT, with the line, for other text; path is for the error. */
MB_MUST_CHECK enum mb_status fps_latency_parse(struct fps_latency *latency, struct mb_text text,
                                               const char *path, const struct fps_presents *out,
                                               struct mb_error *err);

/* ---- The film ---- */

/* A second of it, from its first frame on. */
struct fps_second {
    int64_t begin_ns;
    uint32_t frames; /* that began in it */
    int64_t fps;     /* hundredths; idle time does not count */
    int64_t longest_ns;
    uint32_t janky;      /* PerfDog's: twice the last three, and longer than two frames of a film */
    uint32_t very_janky; /* the same with three frames of a film */
    uint32_t late;       /* took more vsyncs than the frames around them */
    int64_t refresh;     /* hundredths of Hz */
    enum mon_level level; /* of its worst frame */
};

struct fps_seconds {
    void (*take)(void *context, const struct fps_second *second);
    void *context;
};

struct fps_film {
    struct mon_options options; /* levels */
    struct fps_seconds out;

    /* Presented frames. */
    bool has_last;
    struct fps_present last;
    int64_t shift_ns;    /* of the film's times against the device's */
    uint32_t slot_count; /* ever */
    uint32_t slots[16];  /* vsyncs of the last frames */

    /* All. */
    int64_t first_ns;
    int64_t last_ns;
    uint32_t recent_count; /* since the last rest */
    int64_t recent_ns[3];  /* lengths of the last frames */
    struct mon_drawn drawn;
    uint32_t janky;
    uint32_t very_janky;
    uint32_t late;
    int64_t janky_ns;
    MB_VEC(int64_t) lengths;
    bool has_second;
    struct fps_second second; /* that goes on */
    int64_t second_ns;        /* of drawing in it */
    int64_t second_interval_ns;
    struct mon_pace pace; /* of frames whose stages are known */
};

void fps_film_init(struct fps_film *film, const struct fps_seconds *out);
void fps_film_finish(struct fps_film *film);

void fps_film_present(struct fps_film *film, const struct fps_present *present);
void fps_film_frame(struct fps_film *film, const struct mon_frame *frame);

/* End the run: passes on the last second. MB_NO_MEMORY if the lengths did not fit. */
MB_MUST_CHECK enum mb_status fps_film_end(struct fps_film *film, struct mb_error *err);

/* The length that percent of the frames do not exceed; after the end only. 0 without frames. */
int64_t fps_film_percentile(const struct fps_film *film, int percent);

/* The share of time that janky frames took, in hundredths of a percent. */
int64_t fps_film_stutter(const struct fps_film *film);

/* The shorter first: int64_t, for MB_VEC_SORT. */
static inline int fps_compare_times(const void *a, const void *b)
{
    const int64_t *left = a;
    const int64_t *right = b;

    return (*left > *right) - (*left < *right);
}

#endif
