#include "process/stop.h"

#include "base/clock.h"
#include "process/trace.h"

#include <time.h>

#define MOST_NS (10 * MB_NS_PER_S)
#define POLL_NS 2000000L

static bool is_open(struct proc_trace *trace)
{
    return proc_trace_renew(trace) && proc_trace_is_open(trace);
}

/* What it was asked before is answered first. */
static void stop_process(void *context, uint64_t process_id)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    int64_t end_ns = mb_clock_now_ns() + MOST_NS;
    struct proc_trace trace;
    uint64_t number;
    bool is_asked = false;
    size_t *stopped = context;

    if (proc_trace_find(&trace, process_id) != PROC_TRACE_FOUND) {
        return;
    }
    while (is_open(&trace) && mb_clock_now_ns() < end_ns) {
        is_asked = is_asked || proc_trace_ask(&trace, ABI_CONTROL_STOP, &number);
        (void)nanosleep(&pause, NULL);
    }
    *stopped += is_asked && !is_open(&trace);
    proc_trace_finish(&trace);
}

size_t proc_stop_below(uint64_t process_id)
{
    size_t stopped = 0;

    proc_each_below(process_id, stop_process, &stopped);
    return stopped;
}
