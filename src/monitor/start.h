/* How the program came to show its first screen. */

#ifndef MONITOR_START_H
#define MONITOR_START_H

#include <stdbool.h>
#include <stdint.h>

enum mon_start_kind {
    MON_START_COLD, /* the process was started for the screen */
    MON_START_WARM, /* the process was there */
    MON_START_HOT   /* so was the screen */
};

const char *mon_start_name(enum mon_start_kind kind);

/* Lengths count from the begin, gaps excepted; 0 if unknown. */
struct mon_starting {
    enum mon_start_kind kind;
    bool has_state;         /* the saved state of a window that the system ended */
    int64_t begin_ns;       /* the process (its start being asked for), or its window */
    int64_t first_ns;       /* the first record: from there Matrix counts */
    int64_t application_ns; /* from first_ns until the application was created; cold only */
    uint32_t application;   /* the number of the system's message */
    int64_t screen_ns;      /* from first_ns until the first window had the focus; cold only */
    int64_t duration_ns;    /* from first_ns until the window that counts had it */
    int64_t drawn_ns;       /* until it was drawn */
    int64_t focused_ns;     /* until it had the focus */
    int64_t fully_ns;       /* until the program reported that all is drawn, if before the issue */
};

#endif
