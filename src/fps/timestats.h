/* `dumpsys SurfaceFlinger --timestats -dump` (Android 10 and later): sums of each layer since they
 * were enabled.
 *
 *   layerName = NAME
 *   totalFrames = 500
 *   averageFPS = 58.123
 *   present2present histogram is as below:
 *   0ms=0 16ms=480 17ms=5 33ms=15 ...
 *
 * A layer has one such part for each rate of the display that it was shown at: they are added
 * up. */

#ifndef FPS_TIMESTATS_H
#define FPS_TIMESTATS_H

#include "base/text.h"

#include <stdint.h>

#define FPS_BUCKET_COUNT 256u

struct fps_bucket {
    int64_t ms;
    int64_t count;
};

/* The sums of one layer. */
struct fps_timestats {
    struct mb_text layer; /* a view of the text; empty: not found */
    int64_t frames;
    int64_t dropped;
    int64_t janky;     /* -1 if unknown */
    int64_t fps_milli; /* averageFPS; -1 if unknown */
    uint32_t bucket_count;
    struct fps_bucket buckets[FPS_BUCKET_COUNT]; /* times from one present to the next */
};

/* The layer with the most frames among those whose name or package holds a text; "": any.
 * MB_BAD_TEXT, with the line, if this is other output. */
MB_MUST_CHECK enum mb_status fps_timestats_parse(struct fps_timestats *stats, struct mb_text text,
                                                 struct mb_text wanted, const char *path,
                                                 struct mb_error *err);

/* How long a frame was on the screen: that many of 100 no longer. -1 if the histogram is missing or
 * empty. */
int64_t fps_timestats_percentile(const struct fps_timestats *stats, int percent);

#endif
