/* `dumpsys SurfaceFlinger --latency LAYER`: when the newest frames of a layer were presented.
 *
 *   16666667                               ns between two vsyncs
 *   123456  133333  123999                 wanted, presented, ready; CLOCK_MONOTONIC, oldest first
 *   0  0  0                                not used yet
 *   140000  9223372036854775807  140500    not presented yet
 *                                          an empty line; another layer of that name may follow
 *
 * Polls overlap; a layer keeps 127 rows. */

#ifndef FPS_LATENCY_H
#define FPS_LATENCY_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
