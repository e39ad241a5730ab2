/* methodbeat fps, inside: what was asked for, what is printed, and the device. */

#ifndef CLI_FPS_H
#define CLI_FPS_H

#include "cli/colour.h"
#include "screen/session.h"

enum fps_format { FPS_TEXT, FPS_CSV, FPS_JSON };

struct fps_arguments {
    const char *package; /* NULL: not given, as all that follow */
    const char *layer;
    const char *serial;
    const char *save;
    const char *adb;
    int source; /* enum screen_source; SCREEN_NONE: the first that has frames */
    int format; /* enum fps_format */
    enum cli_colour colour;
    uint64_t duration_s; /* 0: until it is interrupted */
    uint64_t interval_ms;
    uint64_t rest_ms;
};

/* ---- Printing (fps_print.c) ---- */

struct fps_printer {
    enum fps_format format;
    bool has_colour;
    size_t columns;
    bool is_live; /* lines are to be seen at once */
    uint32_t seconds;
    int64_t first_ns;
    int64_t recent[50]; /* fps in hundredths of the last seconds, in turn */
    int64_t refresh;    /* of the last second */
    struct mb_buf out;
};

/* For struct screen_seconds; context is the printer. */
void cli_fps_print_second(void *context, const struct screen_second *second);

/* What stands in front, and what stands behind all seconds. */
void cli_fps_print_begin(struct fps_printer *printer);
void cli_fps_print_end(struct fps_printer *printer, const struct screen_session *session);

/* ---- The device (fps_device.c) ---- */

/* Run `adb shell COMMAND` and append what it prints. MB_IO with adb's own words; MB_INTERRUPTED. */
MB_MUST_CHECK enum mb_status cli_fps_ask_device(const struct fps_arguments *arguments,
                                                const char *command, struct mb_buf *out,
                                                struct mb_error *err);

/* Run it for what it does, after an interrupt too: ten seconds at most, and what goes wrong is not
 * told. */
void cli_fps_tell_device(const struct fps_arguments *arguments, const char *command);

/* ---- Live (fps_live.c) ---- */

/* Until the duration is over or somebody interrupts, which is not an error. */
MB_MUST_CHECK enum mb_status cli_fps_watch_device(const struct fps_arguments *arguments,
                                                  struct screen_session *session,
                                                  struct mb_error *err);

#endif
