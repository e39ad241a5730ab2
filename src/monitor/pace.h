/* How long each frame took, as the next one tells: for a rule, for what is shown beside a screen,
 * and for frames that another program measured.
 *
 *     wanted       drawn for                 done
 *     intended_ns  vsync_ns                  at_ns
 *       |--- loop: delay input animation layout draw sync ---|--- issue swap ---|--- gpu ---|
 *
 * A frame lasts until the vsync of the next one, if that was wanted by then: so stages of several
 * frames that overlap cost nothing. Else the screen came to rest, and it lasts as many intervals as
 * its longest stage needs. */

#ifndef MONITOR_PACE_H
#define MONITOR_PACE_H

#include "monitor/gaps.h"
#include "monitor/monitor.h"

#define MON_USUAL_INTERVAL_NS INT64_C(16666667)
#define MON_SHORTEST_INTERVAL_NS INT64_C(4000000) /* 250 Hz */

/* How bad a frame is, as Matrix has it. */
enum mon_level {
    MON_LEVEL_BEST,
    MON_LEVEL_NORMAL,
    MON_LEVEL_MIDDLE,
    MON_LEVEL_HIGH,
    MON_LEVEL_FROZEN,
    MON_LEVEL_COUNT
};

/* What became of a frame. */
struct mon_paced {
    int64_t time_ns;
    int64_t interval_ns;
    int64_t late_ns;  /* time_ns - interval_ns; 0 at least */
    int64_t gap_ns;   /* from its vsync to the next one's; 0: absent */
    uint32_t dropped; /* frames that there was time for */
    bool is_janky;    /* it missed its deadline; without one: its loop took two intervals */
    struct mon_frame frame;
};

/* Zeroed memory has seen none. */
struct mon_pace {
    bool has_last;
    int64_t newest_ns; /* intended_ns of the last frame */
    struct mon_frame last;
};

/* Times that can be: what is told of a frame is otherwise nothing to go by. */
bool mon_frame_is_sound(const struct mon_frame *frame);

/* The interval of the display, or the usual one where that cannot be. */
int64_t mon_frame_interval_ns(const struct mon_frame *frame);

/* Time of the loop's stages. */
int64_t mon_frame_loop_ns(const struct mon_frame *frame);

/* Add a sound frame, in order of intended_ns. What it says of the one before; false if absent, or
 * if it is to be left out (is_left_out): it was told already, or is the first of its window. */
bool mon_pace_add(struct mon_pace *pace, const struct mon_frame *frame, const struct mon_gaps *gaps,
                  struct mon_paced *paced, bool *is_left_out);

/* No frame will follow. What the last one was; false if absent. */
bool mon_pace_end(struct mon_pace *pace, struct mon_paced *paced);

enum mon_level mon_level_of(const struct mon_options *options, const struct mon_paced *paced);

#endif
