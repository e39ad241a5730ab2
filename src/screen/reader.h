/* Reads outputs of dumpsys, live or saved, one after another, as one run. */

#ifndef SCREEN_READER_H
#define SCREEN_READER_H

#include "screen/film.h"
#include "screen/framestats.h"
#include "screen/timestats.h"

enum screen_source {
    SCREEN_LATENCY,
    SCREEN_TIMESTATS,
    SCREEN_GFXINFO,
    SCREEN_SOURCE_COUNT,
    SCREEN_NONE = SCREEN_SOURCE_COUNT
};

const char *screen_source_name(enum screen_source source);

/* What a text is; SCREEN_LATENCY if it is nothing else. */
enum screen_source screen_source_of(struct mb_text text);

struct screen_reader {
    struct mb_text package;    /* of timestats; "": any */
    enum screen_source source; /* of the last output */
    bool is_mixed;             /* there were others before it */
    uint32_t outputs;
    struct screen_film film;
    struct screen_latency latency;
    struct screen_framestats framestats;
    struct mb_buf timestats_text;      /* the last one */
    struct screen_timestats timestats; /* views of it */
};

/* Passes each second to out as soon as it is over. */
void screen_reader_init(struct screen_reader *reader, const struct screen_seconds *out);
void screen_reader_finish(struct screen_reader *reader);

/* The next output, as it came; path is for errors. MB_BAD_TEXT with the line, MB_NO_MEMORY. */
MB_MUST_CHECK enum mb_status screen_reader_feed(struct screen_reader *reader, const void *bytes,
                                                size_t size, const char *path,
                                                struct mb_error *err);

/* New frames, or rows at least, were in the last output. */
bool screen_reader_has_rows(const struct screen_reader *reader);

#endif
