/* Outputs of dumpsys, one after another, as one run: what a device gave, or what somebody kept of
 * it. */

#ifndef SCREEN_SESSION_H
#define SCREEN_SESSION_H

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

struct screen_session {
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

/* out is told each second as soon as it is over. */
void screen_session_init(struct screen_session *session, int64_t rest_ns,
                         const struct screen_seconds *out);
void screen_session_finish(struct screen_session *session);

/* The next output, as it came; path is for errors. MB_BAD_TEXT with the line, MB_NO_MEMORY. */
MB_MUST_CHECK enum mb_status screen_session_feed(struct screen_session *session, const void *bytes,
                                                 size_t size, const char *path,
                                                 struct mb_error *err);

/* New frames, or rows at least, were in the last output. */
bool screen_session_has_rows(const struct screen_session *session);

#endif
