/* Frames of a device: what is asked of it, how its seconds are printed, and the asking. */

#ifndef MONITOR_FPS_FPS_H
#define MONITOR_FPS_FPS_H

#include "base/clock.h"
#include "monitor/fps/reader.h"

enum fps_format { FPS_TEXT, FPS_CSV, FPS_JSON };

/* CLOCK_MONOTONIC, in milliseconds. */
static inline int64_t fps_now_ms(void)
{
    return mb_clock_now_ns() / MB_NS_PER_MS;
}

struct fps_arguments {
    const char *package; /* NULL: not given, as all that follow */
    const char *layer;
    const char *save;
    int source;          /* enum fps_source; FPS_NONE: the first that has frames */
    int format;          /* enum fps_format */
    uint64_t duration_s; /* 0: until it is interrupted */
    uint64_t interval_ms;
};

/* ---- Printing (print.c) ---- */

struct fps_printer {
    enum fps_format format;
    bool has_colour;
    size_t columns;
    bool is_live; /* lines are to be seen at once */
    void (*write)(const void *bytes, size_t size);
    void (*flush)(void);
    uint32_t seconds;
    int64_t first_ns;
    int64_t recent[50]; /* fps in hundredths of the last seconds, in turn */
    int64_t refresh;    /* of the last second */
    struct mb_buf out;
};

/* For struct fps_seconds; context is the printer. */
void fps_print_second(void *context, const struct fps_second *second);

/* Print what precedes, and what follows all seconds. */
void fps_print_begin(struct fps_printer *printer);
void fps_print_end(struct fps_printer *printer, const struct fps_reader *reader);

/* ---- The device (device.c) ---- */

/* Run `adb shell COMMAND` and append its output. MB_IO with adb's own words; MB_INTERRUPTED. */
MB_MUST_CHECK enum mb_status fps_ask_device(const char *command, struct mb_buf *out,
                                            struct mb_error *err);

/* Run a command for its effect, after an interrupt too: ten seconds at most, without reporting
 * errors. */
void fps_command_device(const char *command);

/* ---- Live (live.c) ---- */

/* Runs until the duration is over or an interrupt, which is not an error. */
MB_MUST_CHECK enum mb_status fps_watch_device(const struct fps_arguments *arguments,
                                              struct fps_reader *reader, struct mb_error *err);

#endif
