/* methodbeat attach --dump and --stop: what a recorder that runs is asked for */

#include "cli/control.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "process/request.h"

#include <inttypes.h>
#include <stdio.h>

#define DEFAULT_TIMEOUT_S 10

/* Which process is asked for what. */
struct asking {
    uint64_t process_id;
    enum abi_control_command command;
};

/* ---- Messages ---- */

static int print_failure(const struct asking *asking, const char *why)
{
    (void)fprintf(stderr, "methodbeat attach: process %" PRIu64 " %s\n", asking->process_id, why);
    return CLI_FAILED;
}

static int fail_to_find(const struct asking *asking, enum proc_trace_found found)
{
    static const char *const whys[] = {
        [PROC_TRACE_NO_PROCESS] = "does not exist",
        [PROC_TRACE_NOT_OURS] = "is another user's",
        [PROC_TRACE_NO_TRACE] = "does not record into a file",
        [PROC_TRACE_SEVERAL] = "has several below it that record: give the number of one",
    };

    return print_failure(asking, whys[found]);
}

static int print_dump(const struct asking *asking, const struct proc_trace *trace, uint64_t number)
{
    char path[4096];

    if (!abi_control_dump_path(path, sizeof(path), trace->path, trace->header.process_id, number)) {
        return print_failure(asking, "has a trace whose name is too long");
    }
    (void)puts(path);
    return CLI_DONE;
}

static int print_answer(const struct asking *asking, const struct proc_trace *trace)
{
    uint64_t answered = trace->header.answered;

    switch (abi_control_detail(answered)) {
    case ABI_CONTROL_FAILED:
        return print_failure(asking, "could not do it: its own messages say why");
    case ABI_CONTROL_UNKNOWN:
        return print_failure(asking, "has a recorder that cannot do this");
    default:
        return print_dump(asking, trace, abi_control_number(answered));
    }
}

/* A stop is answered by the recorder that does not listen any more. */
static bool has_stopped(const struct asking *asking, const struct proc_trace *trace,
                        enum proc_answer answer)
{
    return asking->command == ABI_CONTROL_STOP && !proc_trace_is_open(trace) &&
           (answer == PROC_ANSWER_STOPPED || answer == PROC_ANSWER_DEAF);
}

static int print_silence(const struct asking *asking, const struct proc_trace *trace,
                         enum proc_answer answer)
{
    static const char *const whys[] = {
        [PROC_ANSWER_LATE] = "does not answer: it is stopped, or busy; try --timeout",
        [PROC_ANSWER_ENDED] = "ended before it answered",
        [PROC_ANSWER_STOPPED] = "stopped recording before it answered",
        [PROC_ANSWER_DEAF] = "does not listen: it has stopped recording, or control=off",
        [PROC_ANSWER_CUT] = "has a trace that was cut short",
    };

    if (has_stopped(asking, trace, answer)) {
        (void)printf("%s %s\n", answer == PROC_ANSWER_STOPPED ? "stopped" : "was stopped already:",
                     trace->path);
        return CLI_DONE;
    }
    return print_failure(asking, whys[answer]);
}

int cli_ask_recorder(uint64_t process_id, enum abi_control_command command, uint64_t timeout_s)
{
    struct asking asking = {process_id, command};
    struct proc_trace trace;
    uint64_t number;
    const uint64_t wait_s = timeout_s > 0 ? timeout_s : DEFAULT_TIMEOUT_S;
    const int64_t end_ns = mb_clock_now_ns() + (int64_t)wait_s * MB_NS_PER_S;
    enum proc_trace_found found = proc_trace_find_below(&asking.process_id);

    if (found == PROC_TRACE_FOUND) {
        found = proc_trace_find(&trace, asking.process_id);
    }
    if (found != PROC_TRACE_FOUND) {
        return fail_to_find(&asking, found);
    }
    const struct proc_request request = {asking.process_id, command, end_ns};
    enum proc_answer answer = proc_request(&request, &trace, &number);
    int code = answer == PROC_ANSWER_THERE ? print_answer(&asking, &trace)
                                           : print_silence(&asking, &trace, answer);
    proc_trace_finish(&trace);
    return code;
}
