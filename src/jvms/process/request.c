#include "jvms/process/request.h"

#include "base/clock.h"

#include <signal.h>
#include <time.h>

#define MOST_NS (10 * MB_NS_PER_S)
#define POLL_NS 2000000L

/* False when it is over. */
static bool wait_until(int64_t end_ns)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};

    (void)nanosleep(&pause, NULL);
    return mb_clock_now_ns() < end_ns;
}

/* Why no answer came, which may have changed since it was asked for. */
static enum proc_answer why_none(const struct proc_request *request)
{
    return kill((pid_t)request->process_id, 0) != 0 ? PROC_ANSWER_ENDED : PROC_ANSWER_LATE;
}

static enum proc_answer await_answer(const struct proc_request *request, struct proc_trace *trace,
                                     uint64_t number)
{
    do {
        if (!proc_trace_renew(trace)) {
            return PROC_ANSWER_CUT;
        }
        if (trace->header.answered == ABI_CONTROL_DEAF) {
            return PROC_ANSWER_STOPPED;
        }
        if (abi_control_number(trace->header.answered) >= number) {
            return PROC_ANSWER_THERE;
        }
    } while (wait_until(request->end_ns));
    return why_none(request);
}

enum proc_answer proc_request(const struct proc_request *request, struct proc_trace *trace,
                              uint64_t *number)
{
    do {
        if (!proc_trace_renew(trace)) {
            return PROC_ANSWER_CUT;
        }
        if (trace->header.answered == ABI_CONTROL_DEAF) {
            return PROC_ANSWER_DEAF;
        }
        if (proc_trace_ask(trace, request->command, number)) {
            return await_answer(request, trace, *number);
        }
    } while (wait_until(request->end_ns));
    return why_none(request);
}

/* ---- The end of all recordings of a program that goes on ---- */

static bool is_open(struct proc_trace *trace)
{
    return proc_trace_renew(trace) && proc_trace_is_open(trace);
}

/* What it was asked before is answered first. */
static void stop_process(void *context, uint64_t process_id)
{
    int64_t end_ns = mb_clock_now_ns() + MOST_NS;
    struct proc_trace trace;
    uint64_t number;
    bool is_asked = false;
    size_t *stopped = context;

    if (proc_trace_find(&trace, process_id) != PROC_TRACE_FOUND) {
        return;
    }
    while (is_open(&trace)) {
        is_asked = is_asked || proc_trace_ask(&trace, ABI_CONTROL_STOP, &number);
        if (!wait_until(end_ns)) {
            break;
        }
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
