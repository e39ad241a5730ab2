/* What the recorder of a running process is asked for, through its trace, and what came of it. */

#ifndef PROC_REQUEST_H
#define PROC_REQUEST_H

#include "process/trace.h"

enum proc_answer {
    PROC_ANSWER_THERE,
    PROC_ANSWER_LATE,    /* none came in time */
    PROC_ANSWER_ENDED,   /* the process ended before */
    PROC_ANSWER_STOPPED, /* it stopped recording before */
    PROC_ANSWER_DEAF,    /* the recorder does not listen */
    PROC_ANSWER_CUT,     /* the trace was cut short */
};

struct proc_request {
    uint64_t process_id;
    enum abi_control_command command;
    int64_t end_ns; /* of the time to wait, by the monotonic clock */
};

/* Ask, and wait for the answer. trace is the one found; once there is an answer, it is the one that
 * has it, in header.answered, and *number that of the request. */
enum proc_answer proc_request(const struct proc_request *request, struct proc_trace *trace,
                              uint64_t *number);

/* Have the process and those below it stop recording, and wait until each has, at most 10 s.
 * Returns how many did. */
size_t proc_stop_below(uint64_t process_id);

#endif
