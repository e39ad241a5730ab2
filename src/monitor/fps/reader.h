/* Reads outputs of dumpsys, live or saved, one after another, as one run. */

#ifndef MONITOR_FPS_READER_H
#define MONITOR_FPS_READER_H

#include "base/text.h"
#include "monitor/fps/film.h"
#include "monitor/pace.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Stages of frames ---- */

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

/* ---- Sums of layers ---- */

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

/* ---- All ---- */

enum fps_source {
    FPS_LATENCY,
    FPS_TIMESTATS,
    FPS_GFXINFO,
    FPS_SOURCE_COUNT,
    FPS_NONE = FPS_SOURCE_COUNT
};

const char *fps_source_name(enum fps_source source);

/* What a text is; FPS_LATENCY if it is nothing else. */
enum fps_source fps_source_of(struct mb_text text);

struct fps_reader {
    struct mb_text package; /* of timestats; "": any */
    enum fps_source source; /* of the last output */
    bool is_mixed;          /* there were others before it */
    uint32_t outputs;
    struct fps_film film;
    struct fps_latency latency;
    struct fps_framestats framestats;
    struct mb_buf timestats_text;   /* the last one */
    struct fps_timestats timestats; /* views of it */
};

/* Passes each second to out as soon as it is over. */
void fps_reader_init(struct fps_reader *reader, const struct fps_seconds *out);
void fps_reader_finish(struct fps_reader *reader);

/* The next output, as it came; path is for errors. MB_BAD_TEXT with the line, MB_NO_MEMORY. */
MB_MUST_CHECK enum mb_status fps_reader_feed(struct fps_reader *reader, const void *bytes,
                                             size_t size, const char *path, struct mb_error *err);

/* New frames, or rows at least, were in the last output. */
bool fps_reader_has_rows(const struct fps_reader *reader);

/* `dumpsys SurfaceFlinger --list`: the names of layers. Only --latency shows which layer has the
 * frames of a package. */

/* The name that a line of the list has; newer systems wrap it: RequestedLayerState{NAME#id
 * parentId=...}. */
struct mb_text fps_layer_name(struct mb_text line);

/* True if the name contains the package and is not that of a container, which never has frames. */
bool fps_layer_is_of(struct mb_text name, struct mb_text package);

/* If two layers have frames of the same age, prefer the greater value. */
int fps_layer_rank(struct mb_text name);

/* Append text as one word of the device's shell. */
void fps_put_quoted(struct mb_buf *out, struct mb_text text);

#endif
