/* What time counts: gaps; and the time of each frame, which depends on the next frame: for the FPS
 * rule, for the overlay, and for frames that dumpsys printed.
 *
 *     wanted       drawn for                 done
 *     intended_ns  vsync_ns                  at_ns
 *       |--- loop: delay input animation layout draw sync ---|--- issue swap ---|--- gpu ---|
 *
 * A frame lasts until the vsync of the next frame if that was wanted by then: overlapping stages of
 * several frames cost nothing. Else the screen came to rest, and the frame lasts as many intervals
 * as its longest stage needs. */

#ifndef MONITOR_PACE_H
#define MONITOR_PACE_H

#include "abi/issue.h"
#include "monitor/monitor.h"

#include <stdint.h>

/* ---- Gaps: times for which the watcher was stopped ---- */

/* Freezer, suspend, SIGSTOP, debugger. They do not count as duration of a stall. */

#define MON_GAP_COUNT 64u

struct mon_gap {
    int64_t from_ns;
    int64_t to_ns;
};

/* Start with zeroed memory. A new gap without room replaces the oldest. */
struct mon_gaps {
    struct mon_gap gaps[MON_GAP_COUNT];
    uint32_t count; /* ever */
};

/* Add gaps in order of time; an overlap with the last gap is cut off. Returns the added length. */
int64_t mon_gaps_add(struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

/* How much of [from, to] is gap. */
int64_t mon_gaps_within(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

/* to - from without its gaps; 0 at least. */
int64_t mon_watched(const struct mon_gaps *gaps, int64_t from_ns, int64_t to_ns);

/* ---- Frames ---- */

#define MON_USUAL_INTERVAL_NS INT64_C(16666667)
#define MON_SHORTEST_INTERVAL_NS INT64_C(4000000) /* 250 Hz */

/* How bad a frame is, as Matrix has it. */
enum mon_level {
#define MON_LEVEL(NAME, word, key) MON_LEVEL_##NAME,
    ABI_LEVELS(MON_LEVEL)
#undef MON_LEVEL
        MON_LEVEL_COUNT
};

/* What became of a frame. */
struct mon_paced {
    int64_t time_ns;
    int64_t interval_ns;
    int64_t late_ns;  /* time_ns - interval_ns; 0 at least */
    int64_t gap_ns;   /* from its vsync to that of the next frame; 0 if absent */
    uint32_t dropped; /* frames that there was time for */
    bool is_janky; /* it missed its deadline or, if that is unknown, its loop took two intervals */
    struct mon_frame frame;
};

/* Start with zeroed memory. */
struct mon_pace {
    bool has_last;
    int64_t newest_ns; /* intended_ns of the last frame */
    struct mon_frame last;
};

/* Mark times that cannot be, which devices report where they do not know one, as MON_STAGE_ODD. A
 * total becomes that of the stages, without a verdict on the deadline. False if the frame has no
 * place in time. */
bool mon_frame_clear(struct mon_frame *frame);

/* The interval of the display; the usual interval if that one is impossible. */
int64_t mon_frame_interval_ns(const struct mon_frame *frame);

/* Add a sound frame, in order of intended_ns. What it says of the one before; false if absent, or
 * if it is to be left out (is_left_out): it was told already, or is the first of its window. */
bool mon_pace_add(struct mon_pace *pace, const struct mon_frame *frame, const struct mon_gaps *gaps,
                  struct mon_paced *paced, bool *is_left_out);

/* No frame follows: the time of the last frame; false if absent. */
bool mon_pace_end(struct mon_pace *pace, struct mon_paced *paced);

enum mon_level mon_level_of(const struct mon_options *options, const struct mon_paced *paced);

#endif
