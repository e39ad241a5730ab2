/* When to sample a stall: less and less often while its stack stays the same. */

#ifndef MONITOR_ANNEAL_H
#define MONITOR_ANNEAL_H

#include <stdbool.h>
#include <stdint.h>

/* Start with zeroed memory. Intervals count check periods. */
struct mon_anneal {
    uint64_t key;      /* of the stack that was dumped last */
    uint32_t previous; /* the interval before */
    uint32_t interval; /* until the next sample */
    bool has_key;
};

enum mon_look_result {
    MON_LOOK_NEW,         /* to be dumped; the next sample follows after one period */
    MON_LOOK_SAME,        /* the interval is the sum of the last two: 1, 2, 3, 5, 8, 13 ... */
    MON_LOOK_MEANINGLESS, /* at most one frame; the next sample follows after one period */
};

/* A stack with that many frames and that key was seen. */
enum mon_look_result mon_anneal_look(struct mon_anneal *anneal, uint64_t key, uint32_t frames);

#endif
