/* The data of the overlay for one scene at a time: the present frame rate, the last ten seconds,
 * and the share of each level. */

#ifndef MONITOR_OVERLAY_H
#define MONITOR_OVERLAY_H

#include "monitor/pace.h"

#define MON_BAR_COUNT 50u
#define MON_BAR_NS INT64_C(200000000) /* of drawing */
#define MON_REST_NS INT64_C(250000000)

/* A stretch of drawing. */
struct mon_bar {
    uint32_t fps;
    enum mon_level level; /* of its worst frame */
};

/* Zeroed memory has seen nothing. */
struct mon_overlay {
    struct mon_pace pace;
    int64_t newest_ns; /* when the last frame was done */
    int64_t interval_ns;
    int64_t time_ns; /* of the stretch so far */
    uint32_t frames;
    enum mon_level level;
    uint32_t bar_count; /* ever */
    struct mon_bar bars[MON_BAR_COUNT];
    uint32_t levels[MON_LEVEL_COUNT]; /* frames of the scene */
};

struct mon_overlay_view {
    uint32_t fps; /* of the last stretch; the display's while nothing is drawn */
    uint32_t refresh;
    bool is_at_rest;
    enum mon_level level;
    uint32_t shares[MON_LEVEL_COUNT]; /* of the scene's frames, percent */
    uint32_t score;                   /* shares weighted 0, 1, 14, 25, 60, of 60 */
    uint32_t bar_count;
    struct mon_bar bars[MON_BAR_COUNT]; /* the oldest first */
};

/* A frame, in order. */
void mon_overlay_add(struct mon_overlay *overlay, const struct mon_frame *frame,
                     const struct mon_options *options);

/* Another scene: its frames are counted anew. */
void mon_overlay_next_scene(struct mon_overlay *overlay);

void mon_overlay_show(const struct mon_overlay *overlay, int64_t now_ns,
                      struct mon_overlay_view *view);

#endif
