/* What frames come to: how fast they were drawn, how many came, how much was lost. */

#ifndef MONITOR_DRAWN_H
#define MONITOR_DRAWN_H

#include "monitor/pace.h"

/* Averages are kept of these durations of a frame. */
enum mon_stage {
#define MON_STAGES(STAGE)                                \
    STAGE(DELAY, delay_ns, "UNKNOWN_DELAY_DURATION")     \
    STAGE(INPUT, input_ns, "INPUT_HANDLING_DURATION")    \
    STAGE(ANIMATION, animation_ns, "ANIMATION_DURATION") \
    STAGE(LAYOUT, layout_ns, "LAYOUT_MEASURE_DURATION")  \
    STAGE(DRAW, draw_ns, "DRAW_DURATION")                \
    STAGE(SYNC, sync_ns, "SYNC_DURATION")                \
    STAGE(ISSUE, issue_ns, "COMMAND_ISSUE_DURATION")     \
    STAGE(SWAP, swap_ns, "SWAP_BUFFERS_DURATION")        \
    STAGE(TOTAL, total_ns, "TOTAL_DURATION")             \
    STAGE(GPU, gpu_ns, "GPU_DURATION")
#define MON_STAGE(NAME, field, key) MON_STAGE_##NAME,
    MON_STAGES(MON_STAGE)
#undef MON_STAGE
        MON_STAGE_COUNT
};

/* Sums over frames; start with zeroed memory. */
struct mon_drawn {
    int64_t begin_ns; /* intended_ns of the first */
    int64_t end_ns;   /* when the last was done */
    uint32_t frames;
    uint32_t janky;
    uint32_t lost;       /* without a report */
    uint32_t cut;        /* stages that did not end */
    uint32_t lacking;    /* frames of which the device did not know a time */
    int64_t time_ns;     /* of drawing */
    int64_t late_ns;     /* of these, lost */
    int64_t interval_ns; /* sum of all */
    int64_t longest_ns;  /* the longest frame */
    uint32_t gaps;       /* between frames that came soon after each other */
    int64_t gaps_ns;
    uint32_t levels[MON_LEVEL_COUNT];  /* frames */
    uint64_t dropped[MON_LEVEL_COUNT]; /* by them */
    int64_t stages_ns[MON_STAGE_COUNT];
    uint32_t stages[MON_STAGE_COUNT]; /* frames with a time for it */
};

void mon_drawn_add(struct mon_drawn *drawn, const struct mon_paced *paced,
                   const struct mon_options *options);

/* How fast it can be drawn, in hundredths of frames a second: idle time does not count. 0: no
 * frame. */
int64_t mon_drawn_fps(const struct mon_drawn *drawn);

/* How many came a second while something moved; 0: not two of them. */
int64_t mon_drawn_rate(const struct mon_drawn *drawn);

/* Of the display, on average. */
int64_t mon_drawn_refresh(const struct mon_drawn *drawn);

/* Lost in a second of drawing, in microseconds. */
int64_t mon_drawn_hitch_us(const struct mon_drawn *drawn);

/* What is reported where only the bad is. */
bool mon_drawn_is_bad(const struct mon_drawn *drawn, const struct mon_options *options);

/* The average of a stage; 0 without times. */
int64_t mon_drawn_stage_ns(const struct mon_drawn *drawn, enum mon_stage stage);

#endif
