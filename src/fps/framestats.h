/* `dumpsys gfxinfo PACKAGE framestats`: the stages of the newest frames of each window that the
 * system's own renderer draws, and a summary.
 *
 *   ---PROFILEDATA---
 *   Flags,IntendedVsync,Vsync,...,FrameCompleted,...      which columns differs: they go by name
 *   0,133333,133333,...
 *   ---PROFILEDATA---
 *
 * Polls overlap; a window keeps 120 rows. Before Android 12 rows do not say the interval of the
 * display: it is the median time between frames that followed each other, and that of 60 Hz until
 * there are some. */

#ifndef FPS_FRAMESTATS_H
#define FPS_FRAMESTATS_H

#include "monitor/pace.h"

#include <stdbool.h>
#include <stdint.h>

/* What stands there in place of all else if the app does not run. */
#define FPS_NO_PROCESS "No process found for:"

/* What is known of a package, poll after poll; zeroed memory knows nothing. */
struct fps_framestats {
    int64_t newest_ns;     /* intended_ns of the newest frame passed on */
    int64_t newest_row_ns; /* of the newest row, passed on or not */
    /* Rows that the system flags as exceptional (a first frame, a changed layout), and rows with
     * missing times; each counted once, however often it is polled. */
    uint64_t outliers;
    uint64_t unfinished;
    int64_t interval_ns; /* for rows without it; 0: still unknown */
    bool is_absent;      /* according to this poll the app does not run */
    uint32_t rows;       /* of this poll; some devices have the summary only */
    int64_t frames;      /* of the summary, -1: it is missing */
    int64_t janky;
};

struct fps_frames {
    void (*take)(void *context, const struct mon_frame *frame);
    void *context;
};

/* Pass on the new frames, in order of intended_ns. MB_BAD_TEXT, with the line, for a table without
 * a required column; MB_NO_MEMORY. */
MB_MUST_CHECK enum mb_status fps_framestats_parse(struct fps_framestats *stats, struct mb_text text,
                                                  const char *path, const struct fps_frames *out,
                                                  struct mb_error *err);

#endif
