/* What kind of stall a stack is: keys that are the same in all processes. */

#ifndef MONITOR_CLASSES_H
#define MONITOR_CLASSES_H

#include "monitor/monitor.h"

struct mon_class {
    uint64_t key1;    /* of the innermost 2 functions that do not only wait; 0: no stack */
    uint64_t key2;    /* of the innermost 4 */
    uint32_t app_key; /* name of the innermost function of the program itself; 0 if none */
};

/* The innermost function that does more than wait, else the innermost one; 0 without frames. */
uint32_t mon_top(const struct mon_frames *frames, const struct mon_names *names);

/* Of the whole stack: by functions, not by lines or addresses. */
uint64_t mon_stack_key(const struct mon_frames *frames, const struct mon_names *names);

struct mon_class mon_classify(const struct mon_frames *frames, const struct mon_names *names,
                              struct mb_text prefixes);

#endif
