/* Inside the library: a stack that a late loop is asked for. */

#ifndef MONITOR_WATCH_STACK_H
#define MONITOR_WATCH_STACK_H

#include "monitor/watch/cell.h"
#include "monitor/watch/names.h"

#include <stdbool.h>
#include <stdint.h>

struct watch_stack {
    struct watch_names *names;
    struct mon_frames frames;
    const struct watch_cell *cell;
    struct watch_snapshot at; /* when it was taken */
    int64_t taken_ns;         /* 0: not told */
    bool is_known;
    int64_t since_ns;    /* what the loop is late with began; 0 if unknown */
    int64_t interval_ns; /* at which it is asked first */
};

#endif
