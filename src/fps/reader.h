/* Reads outputs of dumpsys, live or saved, one after another, as one run. */

#ifndef FPS_READER_H
#define FPS_READER_H

#include "fps/film.h"
#include "fps/framestats.h"
#include "fps/timestats.h"

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

#endif
